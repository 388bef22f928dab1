import type { Approval } from '../../gen/clawrden/v1/warden.ts';
import { escapeUnprintable } from '../../render-text.ts';
import { approvalFacts } from '../show-approval.ts';

/** One row of a screen, of the fact with this index. */
export interface PlanRow {
  readonly fact: number;
  readonly text: string;
}

const continued = '  \\ ';

/**
 * A question with the whole plan, cut into rows of at most `columns`. A row that goes on begins with a backslash, so
 * that it passes for no line of its own.
 */
export function planRows(approval: Approval, columns: number): PlanRow[] {
  const facts = approvalFacts(approval).map(([name, value]) => {
    const text = escapeUnprintable(typeof value === 'string' ? value : value[0]);
    return [name, text] as const;
  });
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.flatMap(([name, text], fact) =>
    wrap(`${name.padEnd(width)}  ${text}`, columns).map((row) => ({ fact, text: row })),
  );
}

function wrap(text: string, columns: number): string[] {
  const rows = [text.slice(0, columns)];
  const step = columns - continued.length;
  for (let at = columns; at < text.length; at += step) rows.push(continued + text.slice(at, at + step));
  return rows;
}
