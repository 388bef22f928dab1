import { isUtf8 } from 'node:buffer';
import type { FinishedExecution } from '../../../src/http-api/executions.ts';
import { encoded, unfinished } from './text-chunks.ts';

/** Bytes of one stream that an answer holds. */
export const capturedBytes = 1024 * 1024;

/** The beginning of a stream, for an answer that comes when all is over. */
export interface Capture {
  readonly add: (bytes: Uint8Array) => void;
  readonly view: () => FinishedExecution['stdout'];
}

export function createCapture(most = capturedBytes): Capture {
  const chunks: Buffer[] = [];
  let [length, truncated] = [0, false];
  return {
    add: (bytes) => {
      const kept = bytes.subarray(0, most - length);
      truncated ||= kept.length < bytes.length;
      length += kept.length;
      // A copy: the bytes are a view of what was received.
      if (kept.length > 0) chunks.push(Buffer.from(kept));
    },
    view: () => {
      const all = Buffer.concat(chunks);
      const cut = truncated && !isUtf8(all) ? unfinished(all) : 0;
      const whole = all.subarray(0, all.length - cut);
      return { ...encoded(isUtf8(whole) ? whole : all), truncated };
    },
  };
}
