/** Of what is searched for in command lines, in characters. */
export const searchLength = { least: 3, most: 100 } as const;

/** Why nothing can be found by this text; undefined if it can be searched for. */
export function wrongSearch(text: string): string | undefined {
  const { length } = Array.from(text);
  const { least, most } = searchLength;
  if (length < least || length > most) return `must have ${least} to ${most} characters`;
  return text.includes('\0') ? 'must have no NUL' : undefined;
}

/** Of a command line, in characters: what is behind is not kept, and not searched. */
export const searchedLine = 4096;

/** Whether the text is in the words of a command with one blank between. */
export function lineHolds(argv: readonly string[], text: string): boolean {
  let line = '';
  for (const [at, word] of argv.entries()) {
    if (line.length >= searchedLine) break;
    line += (at === 0 ? '' : ' ') + word.slice(0, searchedLine);
  }
  return line.slice(0, searchedLine).toLowerCase().includes(text.toLowerCase());
}
