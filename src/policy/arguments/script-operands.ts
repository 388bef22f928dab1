import type { ScriptOperand } from '../../plan.ts';
import { isToolName } from '../request/tool-name.ts';
import { impliedBy } from './implied-work.ts';
import { readArguments } from './read-arguments.ts';
import type { Reading } from './reading.ts';
import { hasSafeOptions } from './safe-arguments.ts';
import { mostWrappers, seeThrough } from './see-through.ts';
import type { Interpreter, Option, ToolGrammar } from './tools/grammar.ts';
import { type KnownTools, knownTools } from './tools/known-tools.ts';
import { plainTools } from './tools/plain-tools.ts';
import { wrapperData } from './tools/wrapper-data.ts';

/** As many files as one plan can give an init. */
const most = 8;

/**
 * Each file once, in order. Empty only if every word is known to load and run nothing. Reads only the arguments; the
 * init says whether the files exist.
 */
export function scriptOperands(argv: readonly string[], known = knownTools): readonly ScriptOperand[] {
  const [tool = '', ...args] = argv;
  const all = eachFileOnce(operandsOf(known, tool, args, 0, mostWrappers));
  return all.length <= most ? all : [...all.slice(0, most - 1), unseen(`${all.length - most + 1} more`)];
}

/** A file is identified by its name. */
function eachFileOnce(operands: readonly ScriptOperand[]): readonly ScriptOperand[] {
  const paths = new Set<string>();
  return operands.filter((operand) => {
    if (!('path' in operand)) return true;
    const isNew = !paths.has(operand.path);
    paths.add(operand.path);
    return isNew;
  });
}

function operandsOf(
  known: KnownTools,
  tool: string,
  args: readonly string[],
  from: number,
  depth: number,
): readonly ScriptOperand[] {
  const inner = seeThrough(tool, args, from);
  if (inner === undefined) return ownOf(known, tool, args.slice(from));
  if (inner.kind === 'script') return [{ path: inner.path }];
  if (inner.kind === 'opaque') return [unseen(inner.why)];
  if (depth === 0) return [unseen('too many commands run one another')];
  const added = inner.adds ? [unseen(`what ${tool} adds to the arguments`)] : [];
  return [...operandsOf(known, inner.tool, inner.args, inner.from, depth - 1), ...added];
}

/** For a tool that is not a wrapper, or a wrapper that has nothing to run. */
function ownOf(known: KnownTools, tool: string, args: readonly string[]): readonly ScriptOperand[] {
  if (plainTools.has(tool) || wrapperData.has(tool)) return [];
  if (tool === '.' || tool === 'source')
    return [fileAt(args[0] ?? '') ?? unseen('what a shell looks up by its name')];
  const grammar = known.get(tool) ?? versioned(known, tool);
  if (grammar?.interpreter !== undefined) return interpretedBy(grammar, grammar.interpreter, tool, args);
  if (grammar !== undefined) return runBy(grammar, tool, args);
  const strange = unseen(`what ${named(tool)} loads or runs: Clawrden does not know it`);
  return tool.includes('/') ? [{ path: tool }, strange] : [strange];
}

function runBy(grammar: ToolGrammar, tool: string, args: readonly string[]): readonly ScriptOperand[] {
  const reading = readArguments(grammar, args);
  // `find -exec`, `tar -I` and the like.
  if (!hasSafeOptions(grammar, reading)) return [unseen(`what these arguments of ${tool} may run`)];
  const more = grammar.runs ?? filesRunBy(grammar, reading) ?? workOf(reading);
  return more === undefined ? [] : [unseen(`what ${tool} runs by itself: ${more}`)];
}

/** What the sub-command, or another one whose work it does, runs of the agent's files. */
function filesRunBy(grammar: ToolGrammar, reading: Reading): string | undefined {
  const { subcommands } = impliedBy(grammar, reading);
  return [reading.subcommand, ...subcommands].find((one) => one?.runs !== undefined)?.runs;
}

function workOf({ subcommand }: Reading): string | undefined {
  return subcommand === undefined || subcommand.harmless ? undefined : `the work of ${subcommand.name}`;
}

function versioned(known: KnownTools, tool: string): ToolGrammar | undefined {
  const grammar = known.get(withoutVersion(tool));
  return grammar?.interpreter === undefined ? undefined : grammar;
}

function interpretedBy(
  grammar: ToolGrammar,
  interpreter: Interpreter,
  tool: string,
  args: readonly string[],
): readonly ScriptOperand[] {
  const reading = readArguments(grammar, args);
  if (!reading.sure || interpreter.words.has(reading.operands[0] ?? '')) {
    return [unseen(`these options of ${tool} change what it runs`)];
  }
  return [...loaded(interpreter, tool, reading), ...mainProgram(grammar, interpreter, tool, reading)];
}

/** A bare name is looked up in places that are unknown here. */
function loaded(interpreter: Interpreter, tool: string, { given, values }: Reading): ScriptOperand[] {
  const files = values
    .filter(({ option }) => isIn(interpreter.loads, option))
    .map(({ option, text }) => {
      const file = isPlainPath(text) && text.endsWith(interpreter.loadedEnding) ? fileAt(text) : undefined;
      return (
        (file && asOpened(interpreter, tool, text)) ?? unseen(`what ${tool} ${option.names[0] ?? ''} loads`)
      );
    });
  const altering = given
    .filter((option) => isIn(interpreter.alters, option))
    .map(({ names: [name = ''] }) => unseen(`what ${tool} ${name} has it load`));
  return [...files, ...altering];
}

function fileAt(name: string): ScriptOperand | undefined {
  return ['/', './', '../'].some((start) => name.startsWith(start)) ? { path: name } : undefined;
}

/**
 * Whether opening it, reading it as a URL, and looking it up all lead to the same file. A URL parser decodes, cuts,
 * drops tabs and line ends, and takes the text after two slashes for a host; so only characters that no parser
 * changes are allowed.
 */
function isPlainPath(path: string): boolean {
  return /^[\w./@+=,~-]+$/.test(path) && !path.startsWith('//');
}

function mainProgram(
  { prints = new Set() }: ToolGrammar,
  interpreter: Interpreter,
  tool: string,
  { given, operands: [first] }: Reading,
): ScriptOperand[] {
  const replaced = given.find((option) => isIn(interpreter.instead, option));
  if (replaced !== undefined) return [unseen(`what ${tool} ${replaced.names[0] ?? ''} runs`)];
  if (first !== undefined && first !== '-') return [asOpened(interpreter, tool, first)];
  const onlyPrints = first === undefined && given.some((option) => isIn(prints, option));
  return onlyPrints ? [] : [unseen(`what ${tool} reads from its input`)];
}

/** After a link, `..` is another directory for the kernel than in the text. */
function asOpened({ joinsPaths }: Interpreter, tool: string, path: string): ScriptOperand {
  const parts = path.split('/');
  const firstName = parts.findIndex((part) => part !== '..' && part !== '.' && part !== '');
  const isJoined = joinsPaths && firstName !== -1 && parts.includes('..', firstName);
  return isJoined ? unseen(`the file that ${tool} takes a path with .. for`) : { path };
}

function isIn(wanted: ReadonlySet<string>, { names }: Option): boolean {
  return names.some((name) => wanted.has(name));
}

/** `python3.12` is Python, too. */
function withoutVersion(tool: string): string {
  const name = tool === 'nodejs' ? 'node' : tool;
  let end = name.length;
  while (end > 0 && '0123456789.'.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

/** Inside a wrapper it may be any word that the agent chose. */
function named(tool: string): string {
  return isToolName(tool) ? tool : 'a file';
}

function unseen(notInspected: string): ScriptOperand {
  return { notInspected };
}
