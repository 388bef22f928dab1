import type { Approval } from '../../../gen/clawrden/v1/warden.ts';
import { plainText } from '../../print/cells.ts';
import { factRows } from '../../print/output.ts';
import { approvalFacts } from '../show-approval.ts';

/** One row on the screen; it belongs to the fact with this index. */
export interface PlanRow {
  readonly fact: number;
  readonly text: string;
}

/** A question with the whole plan, folded into rows of at most `columns`. */
export function planRows(approval: Approval, columns: number): PlanRow[] {
  return factRows(approvalFacts(approval), columns).map(({ fact, row }) => ({
    fact,
    text: row.map(plainText).join(''),
  }));
}
