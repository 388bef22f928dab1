import type { Underway } from '../ports/detached.ts';

/** What to tell somebody who looks on. */
export interface ProgressText {
  /** What was written since; empty if nothing was. */
  readonly next: () => string;
  /** How it is, and for how long somebody has looked on. */
  readonly state: () => string;
  /** The same if it is another one than was told; else empty. */
  readonly newState: () => string;
}

const mostAtOnce = 8 * 1024;

export function createProgressText(underway: Underway): ProgressText {
  const readers = [readerOf(underway, 'stdout'), readerOf(underway, 'stderr')];
  const startedAt = performance.now();
  let told = stateOf(underway);
  const state = () => {
    told = stateOf(underway);
    return `${told} (${Math.round((performance.now() - startedAt) / 1000)} s)`;
  };
  return {
    next: () => readers.map((read) => read()).join(''),
    state,
    newState: () => (stateOf(underway) === told ? '' : state()),
  };
}

export function stateOf(underway: Underway): string {
  if (underway.question() !== undefined) return 'waiting for a person';
  return underway.wasStarted() ? 'running' : 'queued';
}

/** A character that a border cuts waits for its rest. */
function readerOf(underway: Underway, stream: 'stdout' | 'stderr'): () => string {
  const decoder = new TextDecoder();
  let place = 0;
  return () => {
    const bytes = underway.behind(stream, place, mostAtOnce);
    place += bytes.length;
    return decoder.decode(bytes, { stream: true });
  };
}
