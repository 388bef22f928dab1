import { options, type ToolGrammar, type Words } from './grammar.ts';

/** GNU sed 4.9. */
export const sed: ToolGrammar = {
  style: 'gnu',
  options: options(
    `-n,--quiet,--silent -e,--expression= -E,-r,--regexp-extended --posix -s,--separate -u,--unbuffered -z,--null-data
    -l,--line-length= --sandbox --debug --help --version`,
    '-i,--in-place? -f,--file= --follow-symlinks -b,--binary',
  ),
  areHarmless: ({ operands, values }) => scriptsOf({ operands, values }).every(isPlainScript),
};

function scriptsOf({ operands, values }: Words): readonly string[] {
  const given = values.filter(({ option }) => option.names.includes('-e')).map(({ text }) => text);
  return given.length > 0 ? given : operands.slice(0, 1);
}

/** Nobody types a longer one; looking for what a bracket hides takes time in proportion to its square. */
const longestScript = 4096;

const plainCommands = 'pdqQ=lnNgGhHxD';

/** One command of those that neither run (`e`), write (`w`, `W`) nor read another file: an address, then a letter or an `s`. */
function isPlainScript(script: string): boolean {
  if (script.length > longestScript) return false;
  const at = skipAddresses(script);
  if (at === undefined) return false;
  const command = script.charAt(at);
  return command === 's' ? isPlainSubstitution(script, at + 1) : isEnd(script, at, plainCommands);
}

function skipAddresses(script: string): number | undefined {
  let at = skipAddress(script, 0);
  if (at !== undefined && script.charAt(at) === ',') at = skipAddress(script, at + 1);
  while (at !== undefined && (script.charAt(at) === '!' || script.charAt(at) === ' ')) at += 1;
  return at;
}

/** A number, `$`, or a pattern between slashes. */
function skipAddress(script: string, from: number): number | undefined {
  if (script.charAt(from) === '$') return from + 1;
  if (script.charAt(from) === '/') return endOfPart(script, from + 1, '/');
  let at = from;
  while ('0123456789'.includes(script.charAt(at)) && at < script.length) at += 1;
  return at;
}

function isPlainSubstitution(script: string, from: number): boolean {
  const delimiter = script.charAt(from);
  if (!'/|#,:@%!_'.includes(delimiter) || delimiter === '') return false;
  const middle = endOfPart(script, from + 1, delimiter);
  const end = middle === undefined ? undefined : endOfPart(script, middle, delimiter);
  return end !== undefined && isEnd(script, end, 'gpiI0123456789');
}

/**
 * Behind the next delimiter that is not escaped. A bracket may hide a delimiter from some readers, and a line break from
 * others: neither is plain where it could.
 */
function endOfPart(script: string, from: number, delimiter: string): number | undefined {
  for (let at = from; at < script.length; at += 1) {
    const character = script.charAt(at);
    if (character === '\n') return undefined;
    if (character === '\\') at += 1;
    else if (character === delimiter) return at + 1;
    else if (character === '[' && hidesDelimiter(script, at, delimiter)) return undefined;
  }
  return undefined;
}

function hidesDelimiter(script: string, from: number, delimiter: string): boolean {
  let close = script.indexOf(']', from + (script.charAt(from + 1) === '^' ? 3 : 2));
  const inner = script.indexOf('[', from + 1);
  if (close !== -1 && inner !== -1 && inner < close) close = script.indexOf(']', close + 1);
  const next = script.indexOf(delimiter, from);
  return close === -1 || next === -1 || next < close;
}

function isEnd(script: string, from: number, letters: string): boolean {
  for (let at = from; at < script.length; at += 1) if (!letters.includes(script.charAt(at))) return false;
  return true;
}
