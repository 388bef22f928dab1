import type { Verdict } from './conform.ts';

const shownCharacters = 1500;
const shownDifferences = 10;

/** What differs, for people: nothing where nothing does. */
export function describeDifferences({ differences }: Verdict): string {
  return differences
    .map(
      ({ what, native, clawrden }) =>
        `${what}:\n  natively  ${quote(native)}\n  clawrden  ${quote(clawrden)}`,
    )
    .join('\n');
}

function quote(text: string): string {
  const quoted = JSON.stringify(text);
  return quoted.length <= shownCharacters
    ? quoted
    : `${quoted.slice(0, shownCharacters)}… (${text.length} characters)`;
}
