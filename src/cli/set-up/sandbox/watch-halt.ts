import { readTold } from '../../../config/known-agent.ts';

const everyMs = 1000;

/** Aborts once the kill switch kills the agent, as its relay keeps it. A file that cannot be read now is read again. */
export function watchHalt(agent: string, state: string): Disposable & { readonly signal: AbortSignal } {
  const killed = new AbortController();
  const looking = setInterval(() => {
    void isKilled(agent, state).then((is) => is && killed.abort());
  }, everyMs);
  return { signal: killed.signal, [Symbol.dispose]: () => clearInterval(looking) };
}

async function isKilled(agent: string, state: string): Promise<boolean> {
  try {
    const told = await readTold(state);
    return told.some(({ name, halt }) => name === agent && halt === 'killed');
  } catch {
    return false;
  }
}
