import type { Approval } from '../gen/clawrden/v1/warden.ts';
import { commandText } from './describe-execution.ts';
import { printFolded, printJson } from './output.ts';
import { askedBy, withPlan } from './show-approval.ts';
import type { GatewayOptions } from './with-gateway.ts';

/** What was decided about, in one line. */
export function printVerdict(word: 'approve' | 'deny', approval: Approval, { json }: GatewayOptions): void {
  if (json === true) return printJson({ verdict: word, ...withPlan(approval) });
  const said = word === 'approve' ? (['approved ', 'green'] as const) : (['denied ', 'red'] as const);
  printFolded(said, `${askedBy(approval)}: ${commandText(approval)}`, [
    `  plan ${approval.planHash}`,
    'grey',
  ]);
}
