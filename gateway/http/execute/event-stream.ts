import type { ServerResponse } from 'node:http';
import type { ExecutionEvent } from '../../../src/http-api/executions.ts';
import { boundedWriter } from '../../../src/wire/bounded-writer.ts';
import type { ToCaller } from '../../ports/channel.ts';
import { createTextChunks } from './text-chunks.ts';

/** Events as lines of JSON; the first one sends the head of the answer. */
export interface EventStream extends Disposable {
  readonly hasBegun: () => boolean;
  /** Returns a promise to wait for if the reader is behind. */
  readonly take: (item: ToCaller) => Promise<void> | undefined;
  /** What waits of the output, then this, and the end. */
  readonly end: (event: ExecutionEvent) => void;
}

const emptyLineMs = 15_000;

export function createEventStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): EventStream {
  const writer = boundedWriter<string>(response);
  const chunks = { stdout: createTextChunks(), stderr: createTextChunks() };
  response.once('close', () => writer.release());
  const timer = setInterval(() => void writeLine(''), emptyLineMs).unref();

  function writeLine(text: string): Promise<void> | undefined {
    if (response.writableEnded || response.destroyed) return undefined;
    if (!response.headersSent)
      response.writeHead(200, {
        ...headers,
        'content-type': 'application/x-ndjson',
        'x-accel-buffering': 'no',
      });
    timer.refresh();
    return writer.write(`${text}\n`, text.length);
  }

  const write = (event: ExecutionEvent) => writeLine(JSON.stringify(event));

  return {
    hasBegun: () => response.headersSent,
    take: (item) => {
      if (item.type === 'stdout' || item.type === 'stderr') {
        const chunk = chunks[item.type].next(item.bytes);
        return chunk && write({ type: item.type, ...chunk });
      }
      const event = toEvent(item);
      return event && write(event);
    },
    end: (event) => {
      for (const type of ['stdout', 'stderr'] as const) {
        const chunk = chunks[type].rest();
        if (chunk !== undefined) void write({ type, ...chunk });
      }
      void write(event);
      response.end();
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Undefined for what concerns terminals, credit and relays only. */
function toEvent(item: ToCaller): ExecutionEvent | undefined {
  switch (item.type) {
    case 'pending': {
      const { type, approvalId, planHash, expires } = item;
      return { type, approvalId, planHash, expires: expires.toISOString() };
    }
    case 'accepted':
      return { type: item.type, planHash: item.planHash };
    case 'started':
      return { type: item.type, host: item.host, container: item.container };
    case 'notice':
      return { type: item.type, text: item.text };
    default:
      return undefined;
  }
}
