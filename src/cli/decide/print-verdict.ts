import type { Approval } from '../../gen/clawrden/v1/warden.ts';
import { commandText } from '../../text/command-text.ts';
import type { Color } from '../print/cells.ts';
import { printFolded, printJson } from '../print/output.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';
import { approvalJson, askedBy } from './show-approval.ts';

/** The command of the verdict, on one line. */
export function printVerdict(word: 'approve' | 'deny', approval: Approval, { json }: GatewayOptions): void {
  if (json === true) return printJson({ verdict: word, ...approvalJson(approval) });
  printFolded(saidBy(word, approval), `${askedBy(approval)}: ${commandText(approval)}`, [
    `  plan ${approval.planHash}`,
    'grey',
  ]);
}

/** What became of it: a yes may be one of several. */
export function saidBy(
  word: 'approve' | 'deny',
  { missing }: Approval,
): readonly [text: string, color: Color] {
  if (word === 'deny') return ['denied ', 'red'];
  return missing === 0 ? ['approved ', 'green'] : [`noted, ${missing} more must say yes `, 'yellow'];
}
