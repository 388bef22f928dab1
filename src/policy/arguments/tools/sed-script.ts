/** The longest script that is read: the search for what a bracket hides takes time in proportion to its square. */
const longestScript = 4096;

const asciiOnly = /^[\x00-\x7f]*$/;

const plainCommands = 'pdPDnNgGhHx=lqQ';
const withNumber = 'lqQ';

/**
 * Whether a sed script has only commands that run nothing (`e`), write nothing (`w`, `W`) and read no other file.
 * Commands that take text up to the end of their line (`a`, `i`, `c`, `#`) are not accepted, because versions differ
 * in where that text ends. Nor are other letters than ASCII: in some locales (GBK, Shift JIS) a letter ends with a
 * byte that is a backslash.
 */
export function isPlainScript(script: string): boolean {
  if (script.length > longestScript || !asciiOnly.test(script)) return false;
  let at: number | undefined = 0;
  while (at !== undefined && at < script.length) at = skipCommand(script, at);
  return at !== undefined;
}

/** The position after one command and its separator; `undefined` if the command is not plain. */
function skipCommand(script: string, from: number): number | undefined {
  const first = skip(script, from, '; \t\n');
  if (first === script.length) return first;
  if (script.charAt(first) === '}') return skipEnd(script, first + 1);
  const at = skipAddresses(script, first);
  if (at === undefined) return undefined;
  const command = script.charAt(at);
  if (command === '{') return at + 1;
  if (command === 's') return skipSubstitution(script, at + 1, 'gpiI0123456789');
  if (command === 'y') return skipSubstitution(script, at + 1, '');
  if (':bt'.includes(command) && command !== '') return skipLabel(script, at + 1, command === ':');
  if (!plainCommands.includes(command) || command === '') return undefined;
  return skipEnd(script, withNumber.includes(command) ? skip(script, at + 1, ' 0123456789') : at + 1);
}

/** A command ends at a place if every version of sed ends it there. */
function skipEnd(script: string, from: number): number | undefined {
  const at = skip(script, from, ' ');
  return at === script.length || ';\n}'.includes(script.charAt(at)) ? at : undefined;
}

/** Some versions read this text as part of a name, others as commands: so only a plain word may stand there. */
function skipLabel(script: string, from: number, isNeeded: boolean): number | undefined {
  const start = skip(script, from, ' ');
  const end = skip(script, start, 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_');
  return isNeeded && end === start ? undefined : skipEnd(script, end);
}

function skipAddresses(script: string, from: number): number | undefined {
  let at = skipAddress(script, from);
  if (at !== undefined && script.charAt(at) === ',') {
    const second = at + 1;
    at = skipAddress(script, '+~'.includes(script.charAt(second)) ? second + 1 : second);
  }
  return at === undefined ? undefined : skip(script, at, '! ');
}

/** A number, also with a step (`1~2`), `$`, or a pattern between slashes. */
function skipAddress(script: string, from: number): number | undefined {
  if (script.charAt(from) === '$') return from + 1;
  if (script.charAt(from) !== '/') return skip(script, from, '0123456789~');
  const end = endOfPart(script, from + 1, '/');
  return end === undefined ? undefined : skip(script, end, 'I');
}

function skipSubstitution(script: string, from: number, flags: string): number | undefined {
  const delimiter = script.charAt(from);
  if (!'/|#,:@%!_'.includes(delimiter) || delimiter === '') return undefined;
  const middle = endOfPart(script, from + 1, delimiter);
  const end = middle === undefined ? undefined : endOfPart(script, middle, delimiter);
  return end === undefined ? undefined : skipEnd(script, skip(script, end, flags));
}

/**
 * The position after the next delimiter that is not escaped. A bracket may hide a delimiter from some versions, and a
 * line break from others: if that is possible, the command is not plain.
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

/** Letters, classes (`[:digit:]`), and `\n` and the like; a bracket that is anything else may end elsewhere. */
const plainBracket =
  /\[\^?(?:\]|\[:[a-z]{1,10}:\]|\\[a-z]|[^[\]\\\n])(?:\[:[a-z]{1,10}:\]|\\[a-z]|[^[\]\\\n])*\]/y;

function hidesDelimiter(script: string, from: number, delimiter: string): boolean {
  plainBracket.lastIndex = from;
  const [bracket] = plainBracket.exec(script) ?? [];
  return bracket === undefined || bracket.includes(delimiter);
}

function skip(script: string, from: number, characters: string): number {
  let at = from;
  while (at < script.length && characters.includes(script.charAt(at))) at += 1;
  return at;
}
