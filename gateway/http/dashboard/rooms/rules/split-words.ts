/** The words of a line as a person types it: quotes and backslashes as a shell reads them, and nothing else of a shell. */
export function splitWords(
  line: string,
): { readonly words: readonly string[] } | { readonly problem: string } {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote !== '' && character === quote) quote = '';
    else if (character === '\\' && quote !== "'") {
      at += 1;
      if (at >= line.length) return { problem: 'The line ends with a backslash.' };
      const next = line.charAt(at);
      // Within double quotes a backslash quotes few, and else stays.
      word = (word ?? '') + (quote === '"' && !/[$`"\\\n]/.test(next) ? `\\${next}` : next);
    } else if (quote === '' && (character === "'" || character === '"')) {
      quote = character;
      word ??= '';
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '') return { problem: `A quote (${quote}) is not closed.` };
  if (word !== undefined) words.push(word);
  return words.length > 0 ? { words } : { problem: 'Type a command, like git push origin main.' };
}
