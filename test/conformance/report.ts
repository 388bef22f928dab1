import type { Difference } from './compare.ts';
import type { Verdict } from './conform.ts';

const shownCharacters = 1500;
const shownDifferences = 10;

/** The differences, for people; empty if there are none. */
export function describeDifferences({ differences }: Verdict): string {
  const lines = differences.slice(0, shownDifferences).map(describe);
  const rest = differences.length - lines.length;
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}

function describe({ what, native, clawrden }: Difference): string {
  return `${what}:\n  natively  ${quote(native)}\n  clawrden  ${quote(clawrden)}`;
}

function quote(text: string): string {
  const quoted = JSON.stringify(text);
  return quoted.length <= shownCharacters
    ? quoted
    : `${quoted.slice(0, shownCharacters)}… (${text.length} characters)`;
}
