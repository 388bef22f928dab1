import { expect, test } from 'vitest';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import { resultOf } from './result-of-record.ts';

const lost: Partial<ExecutionRecord> = { outcome: 'failed', exitCode: 125, reason: 'gateway-lost', text: '' };
const asked: Partial<ExecutionRecord> = { ...lost, decision: 'ask' };
const approved: Partial<ExecutionRecord> = { ...asked, approvalId: 'a-1', approver: 'person:ann' };

/** What a killed gateway may have left of a command, and whether anybody may be told that it never started. */
const left: readonly (readonly [what: string, record: Partial<ExecutionRecord>, mayHaveRun: boolean])[] = [
  ['its start is known', { ...lost, decision: 'allow', startedAt: 1 }, true],
  ['the policy allowed it', { ...lost, decision: 'allow' }, true],
  ['a person allowed it', approved, true],
  ['it is one that a grant may have covered', asked, true],
  ['a person was asked', { ...asked, approvalId: 'a-1' }, false],
  ['it was not decided', lost, false],
  ['it exited', { outcome: 'exited', decision: 'allow' }, true],
  ['it was canceled before it started', { ...lost, reason: 'canceled', decision: 'allow' }, false],
];

test.each(left)('A-540 P15: of a gateway that was killed it is left that %s', (_what, more, mayHaveRun) => {
  const none = { reason: '', text: '', exitCode: 0, exitSignal: 0, planHash: 'h', host: '', container: '' };
  const rest = { decision: '', approvalId: '', approver: '', outcome: '', startedAt: undefined } as const;
  const result = resultOf({ ...none, ...rest, ...more } as ExecutionRecord);
  expect(result).toMatchObject({
    ...{ wasStarted: mayHaveRun, stdout: { truncated: mayHaveRun }, stderr: { truncated: mayHaveRun } },
  });
});
