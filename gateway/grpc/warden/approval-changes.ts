import { Approval, type WatchApprovalsResponse } from '../../../src/gen/clawrden/v1/warden.ts';
import { createFairList } from '../../approvals/fair-list.ts';
import { questionState } from '../../approvals/question-state.ts';
import { fillPage } from '../../lists/page.ts';
import type { PendingApproval } from '../../ports/verdict.ts';
import { shapeOf } from './warden-lists.ts';
import { toApproval } from './warden-messages.ts';

/** The size of the new questions and of the ids of gone ones in one message. */
const mostRows = 1000;
const shape = { limit: mostRows, ...shapeOf(toApproval, Approval) };

/** Sends one watcher, step by step, what it does not know yet: at first everything. */
export function createChanges(waiting: () => readonly PendingApproval[]): () => WatchApprovalsResponse {
  const list = createFairList<PendingApproval>(
    ({ id }) => id,
    ({ agent }) => agent,
  );
  const told = new Map<string, string>();
  return () => {
    const now = waiting();
    const present = new Set(now.map(({ id }) => id));
    const gone = [...told.keys()].filter((id) => !present.has(id));
    const page = fillPage(
      list(now, new Map()).flatMap(({ row }) => (told.get(row.id) === questionState(row) ? [] : [row])),
      shape,
    );
    for (const row of page.rows) told.set(row.id, questionState(row));
    for (const id of gone.slice(0, mostRows)) told.delete(id);
    const more = page.more() || gone.length > mostRows;
    return { came: [...page.messages], gone: gone.slice(0, mostRows), more };
  };
}
