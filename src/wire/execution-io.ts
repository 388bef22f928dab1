import type { TerminalSize } from '../command.ts';

/** What a caller may send to a running tool. It may send stdin only against credit. */
export type Input =
  | { readonly type: 'stdin'; readonly bytes: Uint8Array }
  | { readonly type: 'stdin-end' }
  | { readonly type: 'signal'; readonly signal: number }
  | { readonly type: 'resize'; readonly size: TerminalSize }
  /** The caller's reader of stdout or stderr is gone. */
  | { readonly type: 'closed'; readonly fd: 1 | 2 };

/** What a running tool sends back. `bytes` are views: write them out or copy them, never keep them. */
export type Output =
  | { readonly type: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  | { readonly type: 'credit'; readonly bytes: number }
  /** No process reads the tool's stdin any more. */
  | { readonly type: 'closed'; readonly fd: 0 }
  | { readonly type: 'stopped'; readonly signal: number }
  | { readonly type: 'unread'; readonly bytes: number };

/**
 * Takes one output. Returns `undefined` if the caller may continue at once, or a promise to wait for first
 * (back-pressure). The promise also resolves when the receiver is gone; output after that is dropped.
 */
export type Send<T> = (item: T) => Promise<void> | undefined;
