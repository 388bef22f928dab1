import type { ExecutionRecord } from '../../gateway/ports/execution-record.ts';

/** A record whose texts all have the given length. */
export function recordOf(number: number, agent: string, argument: string): ExecutionRecord {
  const none = {
    decision: 'allow',
    rule: argument,
    decisionReason: argument,
    strategy: '',
    host: argument,
  } as const;
  const empty = { container: argument, planHash: '', approvalId: '', approver: '', outcome: 'failed' };
  const numbers = { uid: 0, gid: 0, exitCode: 0, exitSignal: 0, stdoutBytes: 0, stderrBytes: 0 };
  const times = {
    receivedAt: Math.floor(number / 3),
    decidedAt: undefined,
    startedAt: undefined,
    endedAt: undefined,
  };
  const long = {
    argv: ['t', argument],
    cwd: argument,
    plan: argument,
    operands: '',
    reason: '',
    text: argument,
  };
  const ids = { id: `${number}`.padStart(4, '0'), caller: `relay:${number % 2}`, agent };
  return { ...none, ...empty, ...numbers, ...times, ...long, ...ids, state: 'ended' };
}
