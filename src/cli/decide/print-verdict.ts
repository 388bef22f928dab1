import type { Approval } from '../../gen/clawrden/v1/warden.ts';
import { commandText } from '../../text/command-text.ts';
import { type Cell, printFolded, printJson } from '../print/output.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';
import { approvalJson, askedBy } from './show-approval.ts';

/** The command of the verdict, on one line. */
export function printVerdict(word: 'approve' | 'deny', approval: Approval, { json }: GatewayOptions): void {
  if (json === true) return printJson({ verdict: word, ...approvalJson(approval) });
  const said = saidBy(word, approval);
  printFolded(said, `${askedBy(approval)}: ${commandText(approval)}`, [
    `  plan ${approval.planHash}`,
    'grey',
  ]);
}

function saidBy(word: 'approve' | 'deny', { missing }: Approval): Cell {
  if (word === 'deny') return ['denied ', 'red'];
  return missing === 0 ? ['approved ', 'green'] : [`noted, ${missing} more must say yes `, 'yellow'];
}
