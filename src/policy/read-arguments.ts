import { isFlag, nameOf } from './flags.ts';
import type { Option, OptionTable, OptionValue, Subcommand, ToolGrammar } from './tools/grammar.ts';

/** A command line as its tool takes it apart. */
export interface Reading {
  /** Every option was written out and is one that we know: nothing about the line is a guess. */
  readonly sure: boolean;
  /** The same for what stands before the sub-command. */
  readonly sureOfSubcommand: boolean;
  /** There is a `--` that may end nothing. */
  readonly hasIdleEnd: boolean;
  readonly subcommand?: Subcommand;
  /** Its place among the arguments; -1 where there is none. */
  readonly subcommandAt: number;
  readonly given: readonly Option[];
  readonly values: readonly OptionValue[];
  /** Without the sub-command. */
  readonly operands: readonly string[];
}

interface Reader {
  readonly grammar: ToolGrammar;
  readonly args: readonly string[];
  at: number;
  table: OptionTable;
  subcommand?: Subcommand;
  subcommandAt: number;
  sure: boolean;
  sureOfSubcommand: boolean;
  hasIdleEnd: boolean;
  readonly given: Option[];
  readonly values: OptionValue[];
  readonly operands: string[];
}

/** Takes time in proportion to the arguments. */
export function readArguments(grammar: ToolGrammar, args: readonly string[]): Reading {
  const reader: Reader = {
    ...{ grammar, args, at: 0, table: grammar.options, sure: true, sureOfSubcommand: true, subcommandAt: -1 },
    ...{ hasIdleEnd: false, given: [], values: [], operands: [] },
  };
  if (grammar.bareCluster === true) readBareCluster(reader);
  let ended = false;
  while (reader.at < args.length) {
    const arg = args[reader.at] ?? '';
    reader.at += 1;
    if (!ended && arg === '--') ended = readEnd(reader);
    else if (!ended && isFlag(arg)) readOption(reader, arg);
    else ended = readOperand(reader, arg) || ended;
  }
  if (reader.subcommand === undefined && reader.operands.length === 0) reader.sureOfSubcommand = reader.sure;
  return reader;
}

/** Before a sub-command it may end only what stands there. */
function readEnd(reader: Reader): boolean {
  const { grammar, subcommand } = reader;
  const isClear =
    grammar.style !== 'words' && (grammar.subcommands === undefined || subcommand !== undefined);
  if (!isClear) {
    reader.sure = false;
    reader.hasIdleEnd = true;
  }
  return isClear;
}

/** Whether the options end with it. */
function readOperand(reader: Reader, arg: string): boolean {
  const { grammar, subcommand, operands } = reader;
  if (grammar.subcommands === undefined || subcommand !== undefined || operands.length > 0) {
    operands.push(arg);
    return grammar.style === 'posix' && (grammar.optionsBehindFirst !== true || operands.length > 1);
  }
  reader.sureOfSubcommand = reader.sure;
  const found = findSubcommand(grammar, arg);
  if (found === undefined) {
    operands.push(arg);
    reader.sure = false;
    return false;
  }
  reader.subcommand = found;
  reader.subcommandAt = reader.at - 1;
  reader.table = found.options;
  return false;
}

/** The sub-command that the tool takes `word` for. */
export function findSubcommand(
  { subcommands, abbreviations }: ToolGrammar,
  word: string,
): Subcommand | undefined {
  const exact = subcommands?.get(word);
  if (exact !== undefined || abbreviations === undefined || word.length > longestName) return exact;
  const dashed = withoutCapitals(word);
  return subcommands?.get(dashed) ?? abbreviations.get(dashed);
}

/** No tool has a longer one. */
const longestName = 40;

/** npm's `installTest` is `install-test`. */
function withoutCapitals(word: string): string {
  if (word === word.toLowerCase()) return word;
  let text = '';
  for (const letter of word) {
    const isCapital = letter >= 'A' && letter <= 'Z';
    text += isCapital ? `-${letter.toLowerCase()}` : letter;
  }
  return text;
}

function readOption(reader: Reader, arg: string): void {
  const { style, numbers } = reader.grammar;
  if (numbers === true && isNumber(arg)) return;
  if (style === 'words') readWord(reader, arg);
  else if (style === 'nopt') readUndashed(reader, withoutDashes(arg));
  else if (arg.startsWith('--')) readLong(reader, arg);
  else readCluster(reader, arg);
}

function readLong(reader: Reader, arg: string): void {
  const name = nameOf(arg);
  const option = reader.table.get(name);
  if (option === undefined) reader.sure = false;
  else take(reader, option, attachedValue(arg, name));
}

function readWord(reader: Reader, arg: string): void {
  const name = nameOf(arg);
  const option =
    reader.table.get(name) ?? reader.table.get(name.startsWith('--') ? name.slice(1) : `-${name}`);
  if (option === undefined) reader.sure = false;
  else take(reader, option, attachedValue(arg, name));
}

/** A letter, a name, or letters that are all options; anything else is an abbreviation, or two words in one. */
function readUndashed(reader: Reader, bare: string): void {
  const name = nameOf(bare);
  if (reader.table.has(`--${name}`)) readLong(reader, `--${bare}`);
  else if (name === bare && isCluster(reader.table, name)) readCluster(reader, `-${name}`);
  else reader.sure = false;
}

/** Whether each of its letters is an option. */
export function isCluster(table: OptionTable, letters: string): boolean {
  for (const letter of letters) if (!table.has(`-${letter}`)) return false;
  return letters !== '';
}

function readCluster(reader: Reader, arg: string): void {
  for (let index = 1; index < arg.length; index += 1) {
    const option = reader.table.get(`-${arg.charAt(index)}`);
    if (option === undefined) {
      reader.sure = false;
      return;
    }
    const rest = arg.slice(index + 1);
    if (takesRest(reader.grammar, option, rest)) {
      if (rest !== '' && reader.grammar.valuesApart === true) reader.sure = false;
      return take(reader, option, rest === '' ? undefined : rest);
    }
    take(reader, option, undefined);
  }
}

function takesRest({ optionalBehindEquals }: ToolGrammar, { value }: Option, rest: string): boolean {
  if (value === 'optional' && optionalBehindEquals === true) return rest.startsWith('=');
  return value !== 'none';
}

/** `cf out.tar`: each letter that needs a value takes the next argument. */
function readBareCluster(reader: Reader): void {
  const [first = ''] = reader.args;
  if (first === '' || first.startsWith('-')) return;
  reader.at = 1;
  for (const letter of first) {
    const option = reader.table.get(`-${letter}`);
    if (option === undefined) reader.sure = false;
    else take(reader, option, undefined);
  }
}

function take(reader: Reader, option: Option, attached: string | undefined): void {
  reader.given.push(option);
  // A value where none belongs: the tool refuses it, or reads it as we do not know.
  if (option.value === 'none' && attached !== undefined) reader.sure = false;
  if (reader.grammar.style === 'nopt' && attached?.startsWith('-') === true) reader.sure = false;
  const text = attached ?? (option.value === 'required' ? nextValue(reader) : undefined);
  if (text !== undefined && !isKnownValue(option, text)) reader.sure = false;
  if (text !== undefined) reader.values.push({ option, text });
  else if (option.value === 'required') reader.sure = false;
}

function isKnownValue({ values }: Option, text: string): boolean {
  return values === undefined || values.has(text) || (values.has('#') && isNumber(`-${text}`));
}

/** One that looks like an option may be one to another version of the tool, or to whoever reads the line before it. */
function nextValue(reader: Reader): string | undefined {
  const { style } = reader.grammar;
  const next = reader.args[reader.at];
  if (next === undefined || (style === 'nopt' && next.startsWith('-'))) return undefined;
  if (style !== 'words' && next !== '-' && next.startsWith('-') && !isNumber(next)) reader.sure = false;
  reader.at += 1;
  return next;
}

function attachedValue(arg: string, name: string): string | undefined {
  return name.length === arg.length ? undefined : arg.slice(name.length + 1);
}

function withoutDashes(arg: string): string {
  let at = 0;
  while (arg.charAt(at) === '-') at += 1;
  return arg.slice(at);
}

function isNumber(arg: string): boolean {
  for (let index = 1; index < arg.length; index += 1) {
    const code = arg.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return false;
  }
  return arg.length > 1;
}
