import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Turned } from './call-turns.ts';

/** A page of a list is up to 512 KiB, and stays in memory until its reader has taken it. */
const mostReads = 32;
/** Our clients wait 10 s for a whole answer. A message of a watch may take longer. */
const takeMs = 30_000;
/** A page of the largest size takes some milliseconds. */
const perTurn = 1;

/** Its answers are the whole contract. */
export const reflectionPaths: readonly string[] = ['v1', 'v1alpha'].map(
  (version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
);
const readPath = /^\/clawrden\.v1\.WardenService\/(?:Explain|Follow|Get|Learn|List|Watch)/;

/** Whether the answer of such a call is for reading, and may be large. */
export function isRead(path: string | undefined): boolean {
  return path !== undefined && (readPath.test(path) || reflectionPaths.includes(path));
}

/**
 * Calls of one name for something to read. They have a line of their own: a person whose client does not read can
 * still order a pause or a kill.
 */
export class Reads implements Turned {
  readonly perTurn = perTurn;
  readonly #others: Turned;
  readonly #now: () => number;
  readonly #open = new Set<ServerHttp2Stream>();
  /** Since when an answer waits for its reader. */
  readonly #unread = new Map<ServerHttp2Stream, number>();

  constructor(others: Turned, now: () => number) {
    this.#others = others;
    this.#now = now;
  }

  mayPass = (): boolean => this.#open.size < mostReads && this.#others.mayPass();

  /** From now on it is served. */
  served(stream: ServerHttp2Stream): void {
    if (stream.destroyed) return;
    this.#open.add(stream);
    stream.once('close', () => {
      this.#open.delete(stream);
      this.#unread.delete(stream);
    });
  }

  /** Ends those whose answer was not taken in time; call it from time to time. */
  endUnread(): void {
    for (const stream of this.#open) {
      const since = this.#unread.get(stream) ?? this.#now();
      if (stream.writableLength === 0) this.#unread.delete(stream);
      else if (this.#now() - since <= takeMs) this.#unread.set(stream, since);
      else stream.close(constants.NGHTTP2_CANCEL);
    }
  }
}
