import { smallLetters } from '../small-letters.ts';
import { mostOperands } from './late-words.ts';
import type { Reading } from './reading.ts';
import { type NamedResources, resourcesIn, spellingsOfKind } from './resource-words.ts';
import type { ImpliedWork, Option, OptionTable, Subcommand, ToolGrammar } from './tools/grammar.ts';

type Words = readonly string[];

/** What a line also does, as if it were written with other sub-commands. */
export interface Implied {
  readonly subcommands: readonly Subcommand[];
  /** Each can stand in place of the line's own sub-command. */
  readonly spellings: readonly Words[];
  /** Each can stand in place of the line's own sub-command and its first operand. */
  readonly withOperand: readonly Words[];
  /** Each can stand in place of the line's own sub-command and of its operands that name resources. */
  readonly withResources?: { readonly operands: number; readonly spellings: readonly ResourceWords[] };
  /** Each can stand in place of the whole line, with any words behind it: what it is done to is not on the line. */
  readonly toAnything: readonly Words[];
}

/** The words of a sub-command and of a kind, and the names that stand in the words of that kind. */
export interface ResourceWords {
  readonly words: Words;
  readonly names: Words;
}

/** All that the line may do besides its own work; if it is not wholly understood, whatever its sub-command can do. */
export function impliedBy(grammar: ToolGrammar, reading: Reading): Implied {
  const { path, sure, subcommand } = reading;
  if (subcommand === undefined) return bareWorkOf(grammar, reading);
  const always = path.flatMap(({ does = [] }) => does);
  const held = [
    ...(grammar.also ?? []).filter((one) => !sure || holds(one, reading, grammar.options)),
    ...path.flatMap(({ also = [] }) => also).filter((one) => !sure || holds(one, reading)),
  ];
  const byWord = held.filter(namesOperand).flatMap(({ does }) => does);
  const others = held.filter((one) => !namesOperand(one)).flatMap(({ does }) => does);
  const own = find(grammar, [...always, ...others]);
  const words = find(grammar, byWord);
  const merged = merge(own, [...words, ...sameByWord(reading)]);
  return withResources(merged, { path, own, words }, reading);
}

interface Works {
  readonly path: Path;
  readonly own: readonly Found[];
  /** Those that the first operand says. */
  readonly words: readonly Found[];
}

/** Its own work, and what else it does, with the resources that it names by all their names. */
function withResources(implied: Implied, { path, own, words }: Works, reading: Reading): Implied {
  const isOwn = path.at(-1)?.resources !== undefined;
  // `apply view-last-applied secret x`: the first operand says what is done, and the next ones to what.
  const named = isOwn ? namedBy(reading) : namedBehindWord(words, reading);
  if (named === undefined) return implied;
  if (named === 'too many')
    return { ...implied, toAnything: [...implied.toAnything, ...words.flatMap(spellingsOf)] };
  const { operands, kinds } = named;
  const paths = isOwn ? [path, ...own.map((one) => one.path)] : words.map((one) => one.path);
  const spellings = paths.flatMap((each) =>
    [...kinds].flatMap(([kind, names]) => withKind(each, kind, names)),
  );
  return { ...implied, withResources: { operands, spellings } };
}

function namedBy({ path, operands }: Reading): NamedResources | undefined {
  const resources = path.at(-1)?.resources;
  return resources === undefined || operands.length === 0 ? undefined : resourcesIn(operands, resources);
}

function namedBehindWord(
  words: readonly Found[],
  { operands }: Reading,
): NamedResources | 'too many' | undefined {
  const resources = words.flatMap(({ path }) => path.at(-1)?.resources ?? [])[0];
  if (resources === undefined || operands.length < 2) return undefined;
  const named = resourcesIn(operands.slice(1), resources);
  return named === undefined ? 'too many' : { ...named, operands: named.operands + 1 };
}

function withKind(path: Path, kind: string, names: Words): readonly ResourceWords[] {
  const one = path.at(-1);
  if (one?.resources === undefined) return [];
  const kinds = spellingsOfKind(kind, one.resources);
  return one.spellings.flatMap((words) => kinds.map((word) => ({ words: [...words, word], names })));
}

/** The line with its first operand in capitals or not: some tools do not tell them apart. */
function sameByWord({ path, operands: [first = ''] }: Reading): readonly Found[] {
  const word = first.length > longestWord ? '' : smallLetters(first);
  return path.at(-1)?.words?.has(word) === true ? [{ path, rest: [word] }] : [];
}

/** No tool has a longer one. */
const longestWord = 40;

function bareWorkOf(grammar: ToolGrammar, { given, sure }: Reading): Implied {
  const isOther = sure && !doesBareWork(grammar, given);
  return merge(find(grammar, isOther ? [] : (grammar.bare?.does ?? [])), []);
}

/** Whether a line without a sub-command, with these options, does work all the same: `yarn` alone installs. */
export function doesBareWork({ bare }: ToolGrammar, given: Reading['given']): boolean {
  return bare !== undefined && !given.some(({ names }) => names.some((name) => bare.unless.has(name)));
}

function namesOperand({ firstOperand }: ImpliedWork): boolean {
  return firstOperand !== undefined && typeof firstOperand !== 'string';
}

/** `general`: options of the tool. A name that it has does not mean a sub-command's option of the same name. */
function holds(one: ImpliedWork, reading: Reading, general?: OptionTable): boolean {
  const { options, containing, except, firstOperand, laterOperand } = one;
  if (firstOperand !== undefined) return fitsFirst(firstOperand, one, reading);
  const isMeant = (option: Option) =>
    option.names.some((name) => options?.has(name) === true && (general?.get(name) ?? option) === option);
  const isGiven = reading.given.some(isMeant);
  if (laterOperand !== undefined)
    return (options === undefined || isGiven) && fitsLater(containing, reading.operands);
  if (!isGiven) return false;
  const texts = reading.values.filter(({ option }) => isMeant(option)).map(({ text }) => text);
  return texts.length === 0 || texts.some((text) => except?.has(text) !== true && hasOneOf(containing, text));
}

/** If there are more of them than any person writes, one may be such an operand. */
function fitsLater(containing: Words | undefined, operands: Words): boolean {
  return operands.length > mostOperands || operands.some((text, at) => at > 0 && hasOneOf(containing, text));
}

function fitsFirst(
  wanted: NonNullable<ImpliedWork['firstOperand']>,
  { containing, except }: ImpliedWork,
  reading: Reading,
): boolean {
  const { first } = reading;
  const [word] = reading.operands;
  if (wanted === 'none' || wanted === 'given') return (wanted === 'none') === (first.length === 0);
  if (word === undefined) return false;
  if (wanted === 'any') return except?.has(word) !== true && hasOneOf(containing, word);
  const small = word.length > longestWord ? word : smallLetters(word);
  return (
    wanted.has(word) ||
    wanted.has(small) ||
    [...(namedBy(reading)?.kinds.keys() ?? [])].some((kind) => wanted.has(kind))
  );
}

function hasOneOf(parts: Words | undefined, text: string): boolean {
  const small = smallLetters(text);
  return parts === undefined || parts.some((part) => small.includes(part));
}

type Path = readonly Subcommand[];

interface Found {
  readonly path: Path;
  /** Operands of it. */
  readonly rest: Words;
  /** It is done to what the line does not name. */
  readonly isOpen?: true;
}

function merge(own: readonly Found[], byWord: readonly Found[]): Implied {
  const all = [...own, ...byWord];
  const subcommands = all.flatMap(({ path }) => path.slice(-1)).flatMap(withInner);
  return {
    subcommands,
    spellings: own.flatMap(spellingsOf),
    withOperand: byWord.flatMap(spellingsOf),
    toAnything: all.filter(({ isOpen }) => isOpen === true).flatMap(spellingsOf),
  };
}

function spellingsOf({ path, rest }: Found): readonly Words[] {
  return path
    .slice(-1)
    .flatMap(withInner)
    .flatMap((one) =>
      restsOf(one, rest).flatMap((last) => one.spellings.map((words) => [...words, ...last])),
    );
}

function restsOf({ words, resources }: Subcommand, rest: Words): readonly Words[] {
  const [first = '', ...others] = rest;
  if (resources !== undefined && first !== '')
    return spellingsOfKind(first, resources).map((word) => [word, ...others]);
  return words?.get(smallLetters(first))?.map((word) => [word, ...others]) ?? [rest];
}

/** A command that only groups others stands for all of these. */
function withInner(one: Subcommand): readonly Subcommand[] {
  return [one, ...[...(one.subcommands?.values() ?? [])].flatMap(withInner)];
}

function find(grammar: ToolGrammar, names: Words): readonly Found[] {
  return [...new Set(names)].flatMap((name) => findWork(grammar, name) ?? []);
}

/**
 * `run`, `volume rm`, or a sub-command with its first operand (`run test`); with `*` behind it, done to anything.
 * Absent if there is no such sub-command.
 */
export function findWork({ subcommands }: ToolGrammar, name: string): Found | undefined {
  const isOpen = name.endsWith(' *');
  const words = (isOpen ? name.slice(0, -2) : name).split(' ');
  const path: Subcommand[] = [];
  let known = subcommands;
  while (known !== undefined && path.length < words.length) {
    const one = known.get(words[path.length] ?? '');
    if (one === undefined) return undefined;
    path.push(one);
    known = one.subcommands;
  }
  const found = { path, rest: words.slice(path.length) };
  return path.length === 0 ? undefined : isOpen ? { ...found, isOpen } : found;
}
