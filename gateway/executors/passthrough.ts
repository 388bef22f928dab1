import type { Executor } from './executor.ts';

/** The original runs in place; nothing after the decision is known. */
export const passthrough: Executor = (permit, execution) => {
  void execution.send({ type: 'run-original', planHash: permit.sealed.hash });
  execution.advance({ state: 'running', startedAt: Date.now() });
  return Promise.resolve({ kind: 'started' });
};
