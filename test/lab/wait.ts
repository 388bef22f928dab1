import { setTimeout as sleep } from 'node:timers/promises';

/** Checks every 25 ms until the answer is true; throws with `what` after `limit` milliseconds. */
export async function waitUntil(what: string, limit: number, ask: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + limit;
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error(`clawrden: lab: ${what}: not within ${limit} ms`);
    await sleep(25);
  }
}
