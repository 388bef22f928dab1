import { mayHaveFlag } from './flags.ts';
import { type Reading, readArguments } from './read-arguments.ts';
import { hasSafeOptions } from './safe-arguments.ts';
import { seeThrough } from './see-through.ts';
import type { Option, OptionTable } from './tools/grammar.ts';
import { type Interpreter, interpreterData, otherRunners, programFiles } from './tools/interpreter-data.ts';
import { knownTools } from './tools/known-tools.ts';

/** A file that a command runs besides its tool, as the command names it; or what it runs that nobody can look at. */
export type ScriptOperand = { readonly path: string } | { readonly notInspected: string };

/** As many files as an init takes with one plan. */
const most = 8;
/** Wrappers around wrappers: nobody needs more. */
const maxDepth = 4;

/** In the order in which they stand. Only the arguments are read: whether the files are there is for the init to say. */
export function scriptOperands(argv: readonly string[]): readonly ScriptOperand[] {
  const [tool = '', ...args] = argv;
  const all = operandsOf(tool, args, maxDepth);
  return all.length <= most ? all : [...all.slice(0, most - 1), unseen(`${all.length - most + 1} more`)];
}

function operandsOf(tool: string, args: readonly string[], depth: number): readonly ScriptOperand[] {
  const inner = seeThrough(tool, args);
  if (inner === undefined) return interpreted(tool, args);
  if (inner.kind === 'script') return [{ path: inner.path }];
  if (inner.kind === 'opaque') return [unseen(inner.why)];
  if (depth === 0) return [unseen('too many commands run one another')];
  const file = inner.tool.includes('/') ? [{ path: inner.tool }] : [];
  const added = inner.adds ? [unseen(`what ${tool} adds to the arguments`)] : [];
  return [...file, ...operandsOf(inner.tool, inner.args, depth - 1), ...added];
}

function interpreted(tool: string, args: readonly string[]): readonly ScriptOperand[] {
  if (tool === '.' || tool === 'source')
    return [fileAt(args[0] ?? '') ?? unseen('what a shell looks up by its name')];
  if (otherRunners.has(tool)) return [unseen(`${tool} runs files in ways that are not looked at`)];
  if (programFiles.get(tool)?.some((flag) => mayHaveFlag(flag, args)) === true)
    return [unseen(`what ${tool} may read its program from`)];
  const interpreter = interpreterData.get(withoutVersion(tool));
  if (interpreter !== undefined) return interpretedBy(interpreter, tool, args);
  return mayRunMore(tool, args) ? [unseen(`what these arguments of ${tool} may run`)] : [];
}

/** `find -exec`, `tar -I` and their like. */
function mayRunMore(tool: string, args: readonly string[]): boolean {
  const grammar = knownTools.get(tool);
  return grammar !== undefined && !hasSafeOptions(grammar, readArguments(grammar, args));
}

function interpretedBy(
  interpreter: Interpreter,
  tool: string,
  args: readonly string[],
): readonly ScriptOperand[] {
  const reading = readArguments({ style: 'posix', options: interpreter.options }, args);
  if (!reading.sure || interpreter.words.has(reading.operands[0] ?? '')) {
    return [unseen(`these options of ${tool} change what it runs`)];
  }
  return [...loaded(interpreter, tool, reading), ...mainProgram(interpreter, tool, reading)];
}

/** A name without a place is looked up where nobody can tell from here. */
function loaded({ loads }: Interpreter, tool: string, { values }: Reading): ScriptOperand[] {
  return values
    .filter(({ option }) => isIn(loads, option))
    .map(({ option, text }) => fileAt(text) ?? unseen(`what ${tool} ${option.names[0] ?? ''} loads`));
}

function fileAt(name: string): ScriptOperand | undefined {
  return ['/', './', '../'].some((start) => name.startsWith(start)) ? { path: name } : undefined;
}

function mainProgram(
  { instead, prints }: Interpreter,
  tool: string,
  { given, operands: [first] }: Reading,
): ScriptOperand[] {
  const replaced = given.find((option) => isIn(instead, option));
  if (replaced !== undefined) return [unseen(`what ${tool} ${replaced.names[0] ?? ''} runs`)];
  if (first !== undefined && first !== '-') return [{ path: first }];
  const onlyPrints = first === undefined && given.some((option) => isIn(prints, option));
  return onlyPrints ? [] : [unseen(`what ${tool} reads from its input`)];
}

function isIn(table: OptionTable, { names: [name = ''] }: Option): boolean {
  return table.has(name);
}

/** `python3.12` is Python, too. */
function withoutVersion(tool: string): string {
  const name = tool === 'nodejs' ? 'node' : tool;
  let end = name.length;
  while (end > 0 && '0123456789.'.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

function unseen(notInspected: string): ScriptOperand {
  return { notInspected };
}
