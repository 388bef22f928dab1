import { setTimeout as sleep } from 'node:timers/promises';
import { ClawrdenError } from '../../src/errors.ts';
import type { Ledger } from '../execution/ledger.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import { type Principal, principalName } from '../ports/principal.ts';

const endsWithinMs = 2_000;

/** Resolves with what it is when it has ended, or after 2 s; undefined if no open execution has this id. */
export async function cancelExecution(
  { executions }: Pick<Ledger, 'executions'>,
  id: string,
  by: Principal,
): Promise<ExecutionRecord | undefined> {
  const execution = executions().find(({ record }) => record.id === id);
  if (execution === undefined) return undefined;
  execution.stop(new ClawrdenError('canceled', `canceled by ${principalName(by)}`));
  const done = new AbortController();
  const late = sleep(endsWithinMs, undefined, { signal: done.signal }).catch(() => {});
  await Promise.race([execution.outcome, late]);
  done.abort();
  return execution.record;
}
