import { Lexer } from 'yaml';

const maxTokens = 250_000;
const maxFlowDepth = 32;
const maxIndicatorsPerLine = 32;
const maxIndent = 200;
/** What the lexer puts before the source of a plain or block scalar. */
const scalarMark = '\u001f';

/**
 * Says why `text` would cost a YAML parser too much, after one cheap pass. The parser's time grows with the square of
 * the nesting, and its stack with the nesting.
 */
export function overYamlBudget(text: string): string | undefined {
  const seen = { tokens: 0, flow: 0, indicators: 0, atLineStart: true };
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (!isScalar && isTooDeep(token, seen)) return 'it is nested too deeply';
    isScalar = token === scalarMark;
    seen.tokens += 1;
    if (seen.tokens > maxTokens) return 'it has too many items';
  }
  return undefined;
}

function isTooDeep(token: string, seen: { flow: number; indicators: number; atLineStart: boolean }): boolean {
  const indented = seen.atLineStart && token.startsWith(' ') ? token.length : 0;
  seen.atLineStart = token.endsWith('\n');
  if (token === '[' || token === '{') seen.flow += 1;
  if (token === ']' || token === '}') seen.flow -= 1;
  // An indicator nests inside those before it on its line; inside brackets, inside those of its own item.
  if (seen.flow > 0 ? isBetweenItems(token) : seen.atLineStart) seen.indicators = 0;
  if (token === '-' || token === '?' || token === ':') seen.indicators += 1;
  return seen.flow > maxFlowDepth || seen.indicators > maxIndicatorsPerLine || indented > maxIndent;
}

function isBetweenItems(token: string): boolean {
  return token === ',' || token === ']' || token === '}';
}
