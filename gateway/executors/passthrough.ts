import type { Executor, RecordStart } from './executor.ts';
import { placeOf } from './mirror.ts';

/** The original runs in place; the gateway knows nothing about it after that. */
export function createPassthrough(recordStart: RecordStart): Executor {
  return (permit, execution) => async () => {
    execution.signal.throwIfAborted();
    void execution.send({ type: 'run-original', planHash: permit.sealed.hash });
    execution.started(placeOf(execution, ''));
    recordStart(execution, []);
    return { kind: 'started' };
  };
}
