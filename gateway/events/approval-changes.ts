import { questionState } from '../approvals/question-state.ts';
import type { Change, WaitingApproval } from '../ports/events.ts';
import type { PendingApproval } from '../ports/verdict.ts';

/** Which questions came, got a yes and went since the last call; the first call is only compared with. */
export function createApprovalChanges(pending: () => readonly PendingApproval[]): () => Change[] {
  let known: ReadonlyMap<string, PendingApproval> | undefined;
  return () => {
    const now = new Map(pending().map((approval) => [approval.id, approval]));
    const before = known;
    known = now;
    if (before === undefined) return [];
    const isTold = (approval: PendingApproval) => {
      const then = before.get(approval.id);
      return then !== undefined && questionState(then) === questionState(approval);
    };
    const came = [...now.values()].filter((approval) => !isTold(approval));
    const gone = [...before.values()].filter(({ id }) => !now.has(id));
    return [
      ...came.map((approval) => ({ type: 'approval', row: toWaiting(approval) }) as const),
      ...gone.map(
        ({ id, executionId, agent }) => ({ type: 'approval-gone', row: { id, executionId, agent } }) as const,
      ),
    ];
  };
}

export function toWaiting({ plan, ...rest }: PendingApproval): WaitingApproval {
  return { ...rest, planBytes: Buffer.byteLength(plan) };
}
