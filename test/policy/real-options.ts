import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { leavesOf } from '../../src/policy/arguments/tools/grammar.ts';
import { grammarOf } from './command-lines.ts';
import { findTool } from './scratch.ts';

/** An option as the tool itself describes it. */
export interface RealOption {
  readonly names: readonly string[];
  readonly value: 'none' | 'required' | 'optional';
}

/** A line of a tool in which to put options, and a way to ask the tool what it accepts. */
export interface RealCommand {
  readonly tool: string;
  readonly words: readonly string[];
  readonly options: readonly RealOption[];
  /** Whether the tool accepts `args` after the words as its options. */
  readonly accepts: (args: readonly string[]) => boolean;
}

const environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  // If cargo is rustup's, it asks there which cargo that is.
  RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup'),
  LC_ALL: 'C',
  COLUMNS: '200',
  DOCKER_HOST: 'tcp://127.0.0.1:9',
  KUBECONFIG: '/dev/null',
};

export function ask(tool: string, args: readonly string[], input = ''): string {
  const { stdout, stderr } = spawnSync(findTool(tool) ?? tool, args, {
    input,
    encoding: 'utf8',
    timeout: 20_000,
    cwd: '/',
    env: environment,
  });
  return stdout + stderr;
}

const refusals =
  /unknown (?:option|switch|flag|shorthand)|bad option|is ambiguous|ambiguous option|unrecognized|invalid option|needs an argument|requires an? (?:value|argument)|no such option|doesn't (?:allow|take)/i;

/** Its help shows that, whatever accepted words stand before `--help`. */
export function realCommand(tool: string, words: readonly string[], help: string): RealCommand {
  const said = ask(tool, [...words, help]);
  const accepts = (args: readonly string[]) => !refusals.test(ask(tool, [...words, ...args, help]));
  return { tool, words, options: said.split('\n').flatMap(toOption), accepts };
}

/** `-a, --all`, `-f, --file <file>`, `--color[=WHEN]`, `-n, --last int`, `-A, --all-namespaces=false:`. */
function toOption(line: string): RealOption[] {
  return gawkOption(line) ?? listedOption(line);
}

/** `\t-f progfile\t\t--file=progfile`. */
function gawkOption(line: string): RealOption[] | undefined {
  const [, letter, rest, long] = /^\t(-\w)([^\t]*)\t+(--[\w-]+)/.exec(line) ?? [];
  if (letter === undefined || rest === undefined || long === undefined) return undefined;
  return [{ names: [letter, long], value: valueOf(rest) }];
}

function listedOption(line: string): RealOption[] {
  const [, spec = ''] = /^\s{1,12}(-.*?)(?:\s{2,}|:?$)/.exec(line) ?? [];
  const names = spec.match(/(?<=^|, )--?[A-Za-z0-9][\w-]*(?=$|[\s,=[<])/g) ?? [];
  const rest = spec.slice(spec.lastIndexOf(names.at(-1) ?? '') + (names.at(-1)?.length ?? 0));
  if (names.length === 0 || names.some((name) => /^-\w\w/.test(name))) return [];
  return [{ names, value: valueOf(rest) }];
}

function valueOf(rest: string): RealOption['value'] {
  if (rest.startsWith('[') || rest === '=false' || rest === '=true') return 'optional';
  return /^[ =<(]/.test(rest) ? 'required' : 'none';
}

/**
 * Every way to write it: by each name, by each unique beginning of a name, with its value separate or attached, in
 * one word with another letter, with `_` for `-` if the tool accepts that.
 */
export function spellingsOf(option: RealOption, command: RealCommand): string[][] {
  const others = command.options.filter((one) => one !== option);
  const known = leavesOf(grammarOf(command.tool).subcommands).find(
    ({ name }) => name === command.words.join(' '),
  );
  const taken = [
    ...command.options.flatMap(({ names }) => names),
    ...(known?.options.keys() ?? grammarOf(command.tool).options.keys()),
  ];
  // node takes its letters one by one.
  const mayBundle = command.tool === 'node' ? [] : others;
  const letter = mayBundle
    .find((one) => one.value === 'none' && one.names.some(isLetter))
    ?.names.find(isLetter);
  const all = option.names.flatMap((name) => {
    if (!isLetter(name))
      return longWords(name, taken, command.tool).flatMap((word) =>
        apart.has(command.tool) ? [valueApart(word, option)] : withValue(word, option, '='),
      );
    const bundled = letter === undefined ? [] : withValue(`${letter}${name.slice(1)}`, option, '');
    return [...withValue(name, option, ''), ...bundled];
  });
  return [...all, ...inW(command.tool, option)];
}

/** gawk takes each long option as the value of -W, too. */
function inW(tool: string, { names, value }: RealOption): string[][] {
  const long = tool === 'gawk' ? names.filter((name) => !isLetter(name)) : [];
  return long
    .map((name) => name.slice(2) + (value === 'none' ? '' : '=1'))
    .flatMap((word) => [['-W', word], [`-W${word}`]]);
}

/** They take no beginning of an option for the whole. */
const noBeginnings: ReadonlySet<string> = new Set(['cargo', 'docker', 'find', 'gh', 'node', 'python3']);

/** They take a value only as the next word. */
const apart: ReadonlySet<string> = new Set(['find', 'python3']);

function valueApart(word: string, { value }: RealOption): string[] {
  return value === 'none' ? [word] : [word, '1'];
}

/** terraform takes these out of the line before it reads that: with one dash, and without a value. */
export const takenOut: ReadonlySet<string> = new Set(['-no-color', '-compact-warnings']);

function longWords(name: string, taken: readonly string[], tool: string): string[] {
  if (tool === 'terraform') return takenOut.has(name) ? [name] : [name, `-${name}`];
  if (tool === 'kubectl') return [name, name.replaceAll(/(?<=\w)-/g, '_')];
  if (noBeginnings.has(tool)) return [name];
  const ends = Array.from({ length: Math.max(0, name.length - 4) }, (_, index) => name.slice(0, index + 4));
  const unique = ends.filter((start) => !taken.some((one) => one !== name && one.startsWith(start)));
  return [name, ...unique.filter((start) => tool !== 'npm' || !isLetters(start.slice(2)))];
}

/** npm looks for letters in a row before it looks for beginnings, however many dashes there are. */
function isLetters(bare: string): boolean {
  return [...bare].every((letter) => grammarOf('npm').options.has(`-${letter}`));
}

function withValue(word: string, { value }: RealOption, sign: string): string[][] {
  if (value === 'none') return [[word]];
  return [[`${word}${sign}1`], ...(value === 'required' ? [[word, '1']] : [[word]])];
}

function isLetter(name: string): boolean {
  return name.length === 2;
}
