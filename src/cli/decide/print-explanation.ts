import { quoteText, renderArgument, renderArgv } from '../../text/render-text.ts';
import { decisionColors } from '../print/decision-colors.ts';
import { type Cell, printFacts, printFolded } from '../print/output.ts';

/** One of our names, and what is said about it; a row without a value is left out. */
export type ExplainedRow = readonly [name: string, value: Cell | undefined];

/** The decision on a command, and the reasons for it. */
export function printExplanation(
  action: string,
  argv: readonly string[],
  rows: readonly ExplainedRow[],
): void {
  const color = decisionColors[action as keyof typeof decisionColors] ?? 'grey';
  printFolded([action, color], `  ${renderArgv(argv)}`);
  printFacts(rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}

/** The rule that decided, with its line in the policy file, if it stands there. */
export function ruleText(rule: string, line: number | undefined, reason: string): string {
  return `${renderArgument(rule)}${line ? ` (line ${line})` : ''}: ${quoteText(reason)}`;
}
