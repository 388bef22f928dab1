import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type Approval, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { printJson, printLine } from '../print/output.ts';
import { readContext } from '../reach/context.ts';
import { type Pages, readPages, sayMore } from '../reach/read-pages.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';
import { printApproval, printSummary, withPlan } from './show-approval.ts';
import { fetchQuestion } from './show-question.ts';
import { noteShown } from './shown-questions.ts';

/** A longer plan would push the other questions off the screen. */
const longPlanBytes = 8 * 1024;

/**
 * Prints the waiting questions, each with its plan; of a long plan only a summary. Notes as shown what was printed in
 * full.
 */
export async function printPending(client: GatewayClient, options: GatewayOptions & Pages): Promise<void> {
  const listed = await readPages(options, async (request) => {
    const { approvals, nextPageToken } = await client.call(WardenServiceService.listApprovals, request);
    return { rows: approvals, next: nextPageToken };
  });
  const isWhole = ({ planBytes }: Approval) => options.json === true || planBytes <= longPlanBytes;
  const questions: Approval[] = [];
  for (const approval of listed.rows) {
    const question = isWhole(approval) ? await fetchQuestion(client, approval.id) : approval;
    if (question !== undefined) questions.push(question);
  }
  if (options.json === true) printJson(questions.map(withPlan));
  else if (questions.length === 0) printLine('nothing waits');
  else for (const question of questions) (isWhole(question) ? printApproval : printSummary)(question);
  noteShown(readContext(options.context), questions.filter(isWhole));
  sayMore('pending', listed);
}
