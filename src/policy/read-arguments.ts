import { isFlag } from './flags.ts';
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
  { subcommands, abbreviatesSubcommands }: ToolGrammar,
  word: string,
): Subcommand | undefined {
  const exact = subcommands?.get(word);
  if (exact !== undefined || abbreviatesSubcommands !== true || subcommands === undefined) return exact;
  const meant = new Set<Subcommand>();
  for (const [name, one] of subcommands) if (name.startsWith(word)) meant.add(one);
  const [only] = meant;
  return word !== '' && meant.size === 1 ? only : undefined;
}

function readOption(reader: Reader, arg: string): void {
  const { style, numbers } = reader.grammar;
  if (numbers === true && isNumber(arg)) return;
  if (style === 'words') readWord(reader, arg);
  else if (arg.startsWith('--')) readLong(reader, arg);
  else if (style === 'nopt' && reader.table.has(`-${nameOf(arg)}`) && nameOf(arg).length > 2)
    readLong(reader, `-${arg}`);
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

function readCluster(reader: Reader, arg: string): void {
  for (let index = 1; index < arg.length; index += 1) {
    const option = reader.table.get(`-${arg.charAt(index)}`);
    if (option === undefined) {
      reader.sure = false;
      return;
    }
    const rest = arg.slice(index + 1);
    if (option.value !== 'none') {
      if (rest !== '' && reader.grammar.valuesApart === true) reader.sure = false;
      return take(reader, option, rest === '' ? undefined : rest);
    }
    take(reader, option, undefined);
  }
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
  const text = attached ?? (option.value === 'required' ? nextValue(reader) : undefined);
  if (text !== undefined) reader.values.push({ option, text });
  else if (option.value === 'required') reader.sure = false;
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

function nameOf(arg: string): string {
  const equals = arg.indexOf('=');
  return equals === -1 ? arg : arg.slice(0, equals);
}

function attachedValue(arg: string, name: string): string | undefined {
  return name.length === arg.length ? undefined : arg.slice(name.length + 1);
}

function isNumber(arg: string): boolean {
  for (let index = 1; index < arg.length; index += 1) {
    const code = arg.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return false;
  }
  return arg.length > 1;
}
