import type { GatewayClient } from '../../../gateway-client/connect-gateway.ts';
import type { Approval } from '../../../gen/clawrden/v1/warden.ts';
import { printJson } from '../../print/output.ts';
import type { Context } from '../../reach/context.ts';
import { approvalJson } from '../show-approval.ts';
import { fetchQuestion } from '../show-question.ts';
import { notePrinted } from '../shown-questions.ts';
import { followApprovals } from './follow-approvals.ts';

/** Until stdout is closed, prints one line of JSON for each question that comes (with its plan) or goes. */
export async function watchLines(client: GatewayClient, context: Context): Promise<void> {
  // What cannot be written ends the process.
  const { signal } = new AbortController();
  let known = new Map<string, Approval>();
  const onApprovals = async (approvals: readonly Approval[]) => {
    const now = new Map(approvals.map((approval) => [approval.id, approval]));
    for (const [id, { executionId, agent }] of known)
      if (!now.has(id)) printJson({ event: 'gone', id, executionId, agent });
    for (const [id] of now) {
      if (known.has(id)) continue;
      const question = await fetchQuestion(client, id);
      // The question ended meanwhile; the reader has not heard of it and never does.
      if (question === undefined) now.delete(id);
      else printJson({ event: 'waiting', ...approvalJson(question) });
      if (question === undefined) continue;
      await notePrinted(context, [question]);
    }
    known = now;
  };
  const onLost = (why: string) => printJson({ event: 'lost', why });
  await followApprovals(client, { onApprovals, onLost }, signal);
}
