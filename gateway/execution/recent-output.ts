import { onAbort } from '../../src/abort.ts';
import type { OutputPart, RecentOutput } from '../ports/followed-output.ts';

export interface RecentOutputWriter extends RecentOutput {
  readonly add: (fd: 1 | 2, bytes: Uint8Array) => void;
}

export const recentBytes = 64 * 1024;
/** How often the streams may take turns in what is kept: a tool may do that with each byte, and each is a message. */
const mostTurns = 256;

interface Turn {
  readonly fd: 1 | 2;
  /** How many bytes had come before it, and with it. */
  readonly from: number;
  readonly to: number;
}

/** Copies into one ring, however long the output is; a silent tool takes no memory. */
export function createRecentOutput(most = recentBytes): RecentOutputWriter {
  const listeners = new Set<() => void>();
  let ring: Buffer | undefined;
  let turns: Turn[] = [];
  let total = 0;

  function put(bytes: Uint8Array): void {
    ring ??= Buffer.alloc(most);
    const kept = bytes.subarray(-most);
    const at = (total + bytes.length - kept.length) % most;
    const untilWrap = kept.subarray(0, most - at);
    ring.set(untilWrap, at);
    ring.set(kept.subarray(untilWrap.length), 0);
  }

  function note(fd: 1 | 2, length: number): void {
    const last = turns.at(-1);
    const to = total + length;
    if (last?.fd === fd) turns[turns.length - 1] = { ...last, to };
    else turns.push({ fd, from: total, to });
    if (turns.length > mostTurns) turns = turns.slice(mostTurns / 2);
    total = to;
  }

  function copyOf(from: number, to: number): Buffer {
    const [kept, at] = [ring ?? Buffer.alloc(0), from % most];
    const untilWrap = kept.subarray(at, at + to - from);
    return Buffer.concat([untilWrap, kept.subarray(0, to - from - untilWrap.length)]);
  }

  return {
    add: (fd, bytes) => {
      if (bytes.length === 0) return;
      put(bytes);
      note(fd, bytes.length);
      for (const listener of listeners) listener();
    },
    total: () => total,
    behind: (place) => {
      const from = Math.max(place, total - most, turns[0]?.from ?? 0);
      const parts = turns.flatMap((turn): OutputPart[] => {
        const begin = Math.max(turn.from, from);
        if (begin >= turn.to) return [];
        return [{ fd: turn.fd, bytes: copyOf(begin, turn.to), place: turn.to }];
      });
      return { skipped: from - place, parts };
    },
    watch: (listener, signal) => {
      listeners.add(listener);
      onAbort(signal, () => listeners.delete(listener));
    },
  };
}
