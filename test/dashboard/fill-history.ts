import { join } from 'node:path';
import type { ExecutionRecord } from '../../gateway/ports/execution-record.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { openHistory } from '../../gateway/store/history.ts';
import { newExecutionId } from '../../src/execution-id.ts';

/** One in so many is the needle that a search has to find. */
const needleEvery = 5_000;
export const needle = 'needle in a haystack';
const everyMs = 1_000;
/** Saved before it is waited for them: they are kept in memory until they are written. */
const atOnce = 5_000;

/** Ended executions of the past, written by the store's own functions; the gateway may run beside it. */
export async function fillHistory(state: string, count: number): Promise<void> {
  const history = openHistory(await openDatabase(join(state, 'clawrden.db'), 'crash'));
  const begin = Date.now() - count * everyMs;
  for (let at = 0; at < count; at += 1) {
    history.save(past(at, begin + at * everyMs));
    if (at % atOnce === 0) await history.unended();
  }
  await history.close();
}

/** One that ended, with what is said of it besides; its id. */
export async function addPast(state: string, more: Partial<ExecutionRecord>): Promise<string> {
  const history = openHistory(await openDatabase(join(state, 'clawrden.db'), 'crash'));
  const record = { ...past(1, Date.now()), ...more };
  history.save(record);
  await history.close();
  return record.id;
}

/** As long as a usual one. */
function past(at: number, time: number): ExecutionRecord {
  const words = at % needleEvery === 0 ? needle : `--step ${at} --target build/release`;
  const isDenied = at % 50 === 0;
  return {
    ...{ id: newExecutionId(time), caller: 'relay:host-1', agent: at % 3 === 0 ? 'other' : 'coder' },
    ...{ argv: ['make', ...words.split(' ')], cwd: '/app', uid: 1000, gid: 1000, state: 'ended' },
    ...{ decision: isDenied ? 'deny' : 'allow', rule: 'past', decisionReason: '', strategy: 'mirror' },
    ...{ host: '', container: '', planHash: '', plan: '', approvalId: '', approver: '', operands: '' },
    ...{ outcome: isDenied ? 'denied' : 'exited', exitCode: at % 7 === 0 ? 1 : 0, exitSignal: 0 },
    ...{ reason: isDenied ? 'denied-by-rule' : '', text: '', stdoutBytes: 120, stderrBytes: 0 },
    ...{ receivedAt: time, decidedAt: time, startedAt: time, endedAt: time + 40 },
  };
}
