import { existsSync } from 'node:fs';
import { readTold } from '../../../config/known-agent.ts';
import { sandboxMark } from '../../../sandbox-mark.ts';

const everyMs = 1000;

/**
 * Aborts once the kill switch kills the agent, as its relay keeps it, or if the relay has taken the mark of the sandbox
 * away: that needs no room. A file that cannot be read now is read again.
 */
export function watchHalt(agent: string, state: string): Disposable & { readonly signal: AbortSignal } {
  const killed = new AbortController();
  const looking = setInterval(() => {
    void isKilled(agent, state).then((is) => is && killed.abort());
  }, everyMs);
  return { signal: killed.signal, [Symbol.dispose]: () => clearInterval(looking) };
}

async function isKilled(agent: string, state: string): Promise<boolean> {
  if (!existsSync(sandboxMark({ state }, agent))) return true;
  try {
    const told = await readTold(state);
    return told.some(({ name, halt }) => name === agent && halt === 'killed');
  } catch {
    return false;
  }
}
