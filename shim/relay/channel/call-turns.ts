import { tokenBucket } from '../../../src/token-bucket.ts';

/** Resolves when a command of the agent may be told to the gateway; `undefined` if that is now. */
export type CallTurns = (agent: string) => Promise<void> | undefined;

/** The gateway takes 2000 calls a second of one relay. What is left is for lanes, ways out and reports. */
export const callsPerSecond = 1500;

/**
 * All of a relay's agents share what the gateway takes of it: beyond that their commands wait, each agent's in a line
 * of its own, and the lines take turns. As many wait as the agents have clients.
 */
export function createCallTurns(perSecond = callsPerSecond): CallTurns {
  const rate = tokenBucket(perSecond, undefined, perSecond);
  const lines = new Map<string, (() => void)[]>();
  let timer: NodeJS.Timeout | undefined;

  function serve(): void {
    timer = undefined;
    while (lines.size > 0 && rate.take(1)) takeNext(lines)();
    waitForMore();
  }

  function waitForMore(): void {
    if (lines.size > 0) timer ??= setTimeout(serve, rate.waitMs(1));
  }

  return (agent) => {
    if (lines.size === 0 && rate.take(1)) return undefined;
    return new Promise((resolve) => {
      const line = lines.get(agent) ?? [];
      line.push(resolve);
      lines.set(agent, line);
      waitForMore();
    });
  };
}

/** The first of the line whose turn it is; what is left of the line comes behind the others. */
function takeNext(lines: Map<string, (() => void)[]>): () => void {
  for (const [agent, line] of lines) {
    const next = line.shift();
    lines.delete(agent);
    if (line.length > 0) lines.set(agent, line);
    if (next !== undefined) return next;
  }
  return () => {};
}
