import { addAnyCase, addOperands } from './any-case-words.ts';
import { findSubcommand, standsBefore } from './find-subcommand.ts';
import { attachedValue, isFlag, isKnownValue, isNumber, nameOf, withoutDashes } from './flag.ts';
import { mostOptions } from './flags.ts';
import { addGoals } from './goal-words.ts';
import {
  beginningsReadAgain,
  findLate,
  findOtherLine,
  findUnclear,
  hasTooManyOperands,
  mayFollow,
  mostOperands,
  placesBeginning,
} from './late-words.ts';
import { Reader } from './reader.ts';
import type { Reading } from './reading.ts';
import { resourcesIn } from './resource-words.ts';
import { mayRunProgram, runsProgram } from './run-programs.ts';
import type { Option, OptionTable, Subcommand, ToolGrammar } from './tools/grammar.ts';
import { addVariables } from './variable-words.ts';

/** Takes time in proportion to the arguments; if the first operand ends the options, only to those before it. */
export function readArguments(grammar: ToolGrammar, args: readonly string[], from = 0): Reading {
  const reader = new Reader(grammar, args, from);
  if (grammar.bareCluster === true) readBareCluster(reader);
  let ended = false;
  while (reader.at < args.length && reader.sure) {
    if (ended && reader.subcommands === undefined) {
      reader.restAt = reader.at;
      break;
    }
    const arg = args[reader.at] ?? '';
    reader.at += 1;
    if (!ended && arg === '--') ended = readEnd(reader);
    else if (!ended && isFlag(arg)) readOption(reader, arg);
    else ended = readOperand(reader, arg) || ended;
  }
  if (reader.subcommands !== undefined) reader.sureOfSubcommand = reader.sure;
  if (reader.subcommand?.operandsInAnyCase === true) addOperands(reader);
  const hasTooMany = hasTooManyOperands(reader);
  const late = reader.sure && !hasTooMany ? findLate(grammar, reader) : undefined;
  if (late !== undefined) doubt(reader, late);
  for (const at of placesBeginning(beginningsReadAgain(grammar), args, from))
    doubtSubcommand(reader, args[at]);
  if (hasTooMany) doubtOperands(reader);
  else readOperands(reader);
  if (!reader.sure && mayRunLines(reader)) doubtSubcommand(reader);
  if (reader.sure) addMeanings(reader);
  const { resources } = reader.subcommand ?? {};
  if (resources && resourcesIn(reader.operands, resources) === undefined) doubt(reader, reader.operands[0]);
  return reader;
}

/** What some operands of its sub-command give, or may have it do. */
function readOperands(reader: Reader): void {
  for (const [start, options] of reader.subcommand?.operandsGive ?? [])
    if (findUnclear([start], reader) !== undefined) reader.given.push(...options);
  giveNamed(reader);
  const unclear = findUnclear(reader.subcommand?.unclearOperands, reader);
  if (unclear !== undefined) doubt(reader, unclear);
  const other = findOtherLine(reader);
  if (other !== undefined) doubtSubcommand(reader, other);
}

/** Variables and goals of make stand for more than is written. */
function addMeanings(reader: Reader): void {
  const { variablesAmongOperands, operandsAreGoals } = reader.grammar;
  const variable = variablesAmongOperands === true ? addVariables(reader, reader.from) : undefined;
  if (variable !== undefined) return doubt(reader, variable);
  const goal = operandsAreGoals === true ? addGoals(reader, reader.from) : undefined;
  if (goal !== undefined) doubt(reader, goal);
}

/** `kubectl cp prod/web:/x y` is in the namespace `prod`. */
function giveNamed(reader: Reader): void {
  const { beforeSlash: option } = reader.subcommand ?? {};
  if (option === undefined) return;
  for (const operand of reader.operands) {
    const [, text] = /^([^/:]+)\/[^/:]*:/.exec(operand) ?? [];
    if (text === undefined) continue;
    reader.given.push(option);
    reader.values.push({ option, text });
  }
}

/** None of them is looked at, so each may be one that says what is done. */
function doubtOperands(reader: Reader): void {
  const word = reader.operands[mostOperands];
  if (reader.subcommand && mayBeOtherLine(reader.subcommand)) doubtSubcommand(reader, word);
  else doubt(reader, word);
}

function mayBeOtherLine({ otherLines, runsPackage }: Subcommand): boolean {
  return otherLines !== undefined || runsPackage === true;
}

/** It can run its own tool with any line, and what was not read may say so: no option changes a package that was named. */
function mayRunLines({ grammar, subcommand: one, args, at, first }: Reader): boolean {
  if (one === undefined) return false;
  const isNamed = one.otherLines === undefined && first.length > 0;
  return (!isNamed && mayBeOtherLine(one)) || mayRunProgram(grammar, one, { args, from: at - 1 });
}

/** The rest is unknown: no word after it is read. */
function doubt(reader: Reader, word = reader.args[reader.at - 1] ?? ''): void {
  reader.sure = false;
  reader.doubt ??= word;
}

/** Before a sub-command it ends only the options there. */
function readEnd(reader: Reader): boolean {
  mark(reader);
  const isClear = reader.style !== 'words' && reader.subcommands === undefined;
  if (!isClear) doubt(reader);
  return isClear;
}

/** Whether the options end with it. */
function readOperand(reader: Reader, arg: string): boolean {
  if (reader.subcommands !== undefined) {
    readSubcommand(reader, reader.subcommands, arg);
    return false;
  }
  reader.endEarly();
  reader.first.push(arg);
  return reader.style === 'posix' && (reader.grammar.optionsBehindFirst !== true || reader.first.length > 1);
}

function readSubcommand(reader: Reader, known: ReadonlyMap<string, Subcommand>, arg: string): void {
  const isFirst = reader.path.length === 0;
  const found = isFirst ? findSubcommand(reader.grammar, arg) : known.get(arg);
  if (found === undefined) return doubt(reader);
  reader.path.push(found);
  reader.pathAt.push(reader.at - 1);
  reader.subcommand = found;
  reader.subcommands = found.subcommands;
  reader.table = found.options;
  reader.style = found.style ?? reader.style;
  reader.given.push(...(found.gives ?? []));
  if (isFirst && reader.grammar.mayBeAliases?.has(found.name) === true) doubtSubcommand(reader);
  if (standsBefore(reader)) doubt(reader);
  if (found.untold === true) readUntold(reader);
}

/** It may be another one. */
function doubtSubcommand(reader: Reader, word?: string): void {
  doubt(reader, word);
  reader.sureOfSubcommand = false;
}

/** Its options are unknown, and so is where they may stand: also behind operands and behind `--`. */
function readUntold(reader: Reader): void {
  for (let at = reader.at; at < reader.args.length; at += 1) {
    const word = reader.args[at] ?? '';
    if (word.startsWith('-') && word !== '-') return doubt(reader, word);
  }
}

function readOption(reader: Reader, arg: string): void {
  const { style } = reader;
  mark(reader);
  if (reader.grammar.numbers === true && isNumber(arg) && !reader.table.has(arg.slice(0, 2))) return;
  if (style === 'words') readWord(reader, arg);
  else if (style === 'nopt') readUndashed(reader, withoutDashes(arg));
  else if (arg.startsWith('--')) readLong(reader, arg);
  else readCluster(reader, arg);
}

function readLong(reader: Reader, arg: string): void {
  const name = nameOf(arg);
  take(reader, reader.table.get(name), attachedValue(arg, name));
}

function readWord(reader: Reader, arg: string): void {
  const name = nameOf(arg);
  const option =
    reader.table.get(name) ?? reader.table.get(name.startsWith('--') ? name.slice(1) : `-${name}`);
  take(reader, option, attachedValue(arg, name));
}

/** A letter, a name, or letters that are all options. Anything else is an abbreviation, or two words in one. */
function readUndashed(reader: Reader, bare: string): void {
  const name = nameOf(bare);
  if (reader.table.has(`--${name}`)) readLong(reader, `--${bare}`);
  else if (name === bare && isCluster(reader.table, name)) readCluster(reader, `-${name}`);
  else doubt(reader);
}

/** Whether each of its letters is an option. */
function isCluster(table: OptionTable, letters: string): boolean {
  for (const letter of letters) if (!table.has(`-${letter}`)) return false;
  return letters !== '';
}

function readCluster(reader: Reader, arg: string): void {
  for (let index = 1; index < arg.length && reader.sure; index += 1) {
    const option = reader.table.get(`-${arg.charAt(index)}`);
    if (option === undefined) return doubt(reader);
    const rest = arg.slice(index + 1);
    if (takesRest(reader.grammar, option, rest)) {
      if (rest !== '' && reader.grammar.valuesApart === true) doubt(reader);
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
  const first = reader.args[reader.at] ?? '';
  if (first === '' || first.startsWith('-')) return;
  reader.otherwise.set(reader.at, [first, `-${first}`]);
  reader.at += 1;
  mark(reader);
  for (let index = 0; index < first.length && reader.sure; index += 1)
    take(reader, reader.table.get(`-${first.charAt(index)}`), undefined);
}

function take(reader: Reader, option: Option | undefined, attached: string | undefined): void {
  if (option === undefined || reader.given.length === mostOptions) return doubt(reader);
  const word = reader.at - 1;
  reader.given.push(option);
  if (option.names.length > 1 && option.names.includes(reader.args[word] ?? ''))
    reader.otherwise.set(word, option.names);
  // A value for an option that takes none: the tool refuses it, or reads it in a way that is unknown here.
  if (option.value === 'none' && attached !== undefined) doubt(reader);
  if (reader.style === 'nopt' && attached?.startsWith('-') === true) doubt(reader);
  const isLeftOut = attached === undefined && option.value !== 'required';
  if (isLeftOut && mayFollow(reader.style, reader.args[reader.at])) doubt(reader, reader.args[reader.at]);
  if (isLeftOut) markApart(reader, option);
  const text = attached ?? textBehind(reader, option);
  if (text !== undefined && !isKnownValue(option.values, text)) doubt(reader);
  if (runsProgram(reader.grammar, reader.subcommand, option, text)) doubtSubcommand(reader);
  if (text !== undefined) {
    if (reader.subcommands === undefined) reader.endEarly();
    reader.values.push({ option, text });
    if (!addAnyCase(reader, word, option, text)) doubt(reader);
  }
  const last = option.names.some((name) => reader.grammar.twoValues?.has(name)) ? nextValue(reader) : text;
  if (last === undefined && option.value === 'required') doubt(reader, reader.args[word]);
}

function textBehind(reader: Reader, option: Option): string | undefined {
  if (option.value === 'required') return nextValue(reader);
  const { numbersApart } = reader.grammar;
  const next = reader.args[reader.at];
  if (next === undefined || !option.names.some((name) => numbersApart?.has(name))) return undefined;
  if (isNumber(`-${next}`)) return nextValue(reader);
  // Which numbers it takes differs from option to option.
  if (next === '' || '.0123456789'.includes(next.charAt(0))) doubt(reader, next);
  return undefined;
}

/** The next word may be the value that is left out, or an operand: it stays one, and patterns may leave it out. */
function markApart(reader: Reader, { names, value }: Option): void {
  const next = reader.args[reader.at];
  const { optionalApart } = reader.grammar;
  if (value === 'none' || next === undefined || next === '--') return;
  if (!names.some((name) => optionalApart?.has(name))) return;
  if (!isFlag(next) && reader.subcommands === undefined) reader.isOption[reader.at] = 1;
  // npm's parser takes a flag, too.
  else if (!isFlag(next) || reader.style === 'nopt') doubt(reader, next);
}

/** A word that looks like an option may be one for another version of the tool, or for what reads the line before it. */
function nextValue(reader: Reader): string | undefined {
  const next = reader.args[reader.at];
  if (next === undefined || (reader.style === 'nopt' && next.startsWith('-'))) return undefined;
  reader.at += 1;
  mark(reader);
  if (reader.style !== 'words' && next !== '-' && next.startsWith('-') && !isNumber(next)) doubt(reader);
  return next;
}

/** The last word is an option, or belongs to one. */
function mark({ isOption, at }: Reader): void {
  isOption[at - 1] = 1;
}
