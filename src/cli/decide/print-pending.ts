import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import type { Approval } from '../../gen/clawrden/v1/warden.ts';
import { printJson, printLine } from '../print/output.ts';
import { readContext } from '../reach/context.ts';
import { type Pages, sayMore } from '../reach/read-pages.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';
import { approvalJson, listWaiting, printApproval, printSummary } from './show-approval.ts';
import { fetchQuestion } from './show-question.ts';
import { notePrinted } from './shown-questions.ts';

/** A longer plan would push the other questions off the screen. */
const longPlanBytes = 8 * 1024;

/**
 * Prints the waiting questions, each with its plan; of a long plan only a summary. Notes as shown what was printed in
 * full.
 */
export async function printPending(client: GatewayClient, options: GatewayOptions & Pages): Promise<void> {
  const listed = await listWaiting(client, options);
  const isWhole = ({ planBytes }: Approval) => options.json === true || planBytes <= longPlanBytes;
  const questions: Approval[] = [];
  for (const approval of listed.rows) {
    const question = isWhole(approval) ? await fetchQuestion(client, approval.id) : approval;
    if (question !== undefined) questions.push(question);
  }
  if (options.json === true) printJson(questions.map(approvalJson));
  else if (questions.length === 0) printLine('nothing waits');
  else for (const question of questions) (isWhole(question) ? printApproval : printSummary)(question);
  await notePrinted(readContext(options.context), questions.filter(isWhole));
  sayMore('pending', listed);
}
