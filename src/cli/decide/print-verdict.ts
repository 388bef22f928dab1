import type { Approval } from '../../gen/clawrden/v1/warden.ts';
import { commandText } from '../print/command-text.ts';
import { printFolded, printJson } from '../print/output.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';
import { approvalJson, askedBy } from './show-approval.ts';

/** The command of the verdict, on one line. */
export function printVerdict(word: 'approve' | 'deny', approval: Approval, { json }: GatewayOptions): void {
  if (json === true) return printJson({ verdict: word, ...approvalJson(approval) });
  const said = word === 'approve' ? (['approved ', 'green'] as const) : (['denied ', 'red'] as const);
  printFolded(said, `${askedBy(approval)}: ${commandText(approval)}`, [
    `  plan ${approval.planHash}`,
    'grey',
  ]);
}
