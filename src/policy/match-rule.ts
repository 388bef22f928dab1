import { generousNames, literalNames, mayBeAmong } from './flags.ts';
import { type ArgPattern, generousLine, type Line, literalLine, matchesLine } from './match-args.ts';
import { isInside } from './normalize-cwd.ts';
import { openArguments } from './open-arguments.ts';
import type { CommandFacts, Rule } from './policy.ts';
import { findSubcommand, type Reading, readArguments } from './read-arguments.ts';
import { hasSafeArguments } from './safe-arguments.ts';
import type { Subcommand, ToolGrammar } from './tools/grammar.ts';
import { knownTools } from './tools/known-tools.ts';

/** A command with what is known of its tool, taken apart once for all rules. */
export interface CommandLine {
  readonly grammar?: ToolGrammar;
  readonly reading?: Reading;
  /** Where its tool is known: none of the arguments runs a program or writes a file. */
  readonly safe: boolean;
  readonly literal: Line;
  readonly literalFlags: ReadonlySet<string>;
  /** Absent where its tool may take it anyhow. */
  readonly open?: OpenLine;
}

/** A command as its tool may take it, where it is not sure how it does. */
interface OpenLine {
  readonly args: readonly string[];
  readonly lines: readonly Line[];
  readonly flags: readonly string[];
}

export function readCommand({ tool, args }: CommandFacts): CommandLine {
  const grammar = knownTools.get(tool);
  const literal = { literal: literalLine(args), literalFlags: literalNames(args) };
  if (grammar === undefined) return { ...literal, safe: false, open: openLine(args, args) };
  const reading = readArguments(grammar, args);
  const open = openArguments(grammar, reading, args);
  return {
    ...{ ...literal, grammar, reading, safe: hasSafeArguments(grammar, reading) },
    ...(open === undefined ? {} : { open: openLine(args, open, spellIn(grammar, reading, args)) }),
  };
}

function openLine(
  args: readonly string[],
  open: readonly string[],
  spell?: (arg: string) => readonly string[],
): OpenLine {
  const lines = [...new Set([args, open])].map((one) => generousLine(one, spell));
  return { args: open, lines, flags: generousNames(open) };
}

/** In every spelling of its sub-command; where it is not sure which word that is, any may be. */
function spellIn(grammar: ToolGrammar, { subcommandAt, sureOfSubcommand }: Reading, args: readonly string[]) {
  return (arg: string): readonly string[] => {
    const isMeant = !sureOfSubcommand || subcommandAt === -1 || arg === args[subcommandAt];
    const one = isMeant ? findSubcommand(grammar, arg) : undefined;
    if (one === undefined) return [arg];
    const spellings = workOf(one).flatMap((name) => findSubcommand(grammar, name)?.spellings ?? []);
    return spellings.includes(arg) ? spellings : [arg, ...spellings];
  };
}

/** Whether a rule is about who asks, where, and with which tool, whatever the arguments. */
export function concerns(rule: Rule, { tool, uid, agent, labels, cwd }: CommandFacts): boolean {
  return (
    (rule.tools?.has(tool) ?? true) &&
    (rule.uids?.has(uid) ?? true) &&
    (rule.agents?.has(agent) ?? true) &&
    (rule.labels?.every(([name, value]) => labels?.[name] === value) ?? true) &&
    (rule.cwd?.some((directory) => isInside(cwd, directory)) ?? true)
  );
}

/** The arguments are literally what the rule says. */
export function matchesExactly(rule: Rule, line: CommandLine): boolean {
  const { literal, literalFlags, reading, safe } = line;
  return (
    (rule.args === undefined || matchesLine(rule.args, literal)) &&
    (rule.flags?.some((flag) => literalFlags.has(flag) && mayBeGiven(flag, line)) ?? true) &&
    (rule.subcommands === undefined ||
      (reading?.sureOfSubcommand === true && rule.subcommands.has(reading.subcommand?.name ?? ''))) &&
    (rule.safeArguments !== true || safe)
  );
}

/** The tool may take the arguments for what the rule says: for rules that make the answer stricter. */
export function mayMatch(rule: Rule, line: CommandLine): boolean {
  return (
    (rule.args === undefined || mayHaveArgs(rule.args, line)) &&
    (rule.flags?.some((flag) => mayBeGiven(flag, line)) ?? true) &&
    (rule.subcommands === undefined || mayBeSubcommand(rule.subcommands, line)) &&
    (rule.safeArguments !== true || line.safe)
  );
}

function mayHaveArgs(pattern: ArgPattern, { open }: CommandLine): boolean {
  return open === undefined || open.lines.some((line) => matchesLine(pattern, line));
}

/** Exact where every option was written out and is known, and so is the flag; generous otherwise. */
function mayBeGiven(flag: string, { grammar, reading, open }: CommandLine): boolean {
  if (open === undefined) return true;
  const option = reading?.subcommand?.options.get(flag) ?? grammar?.options.get(flag);
  if (option === undefined) return mayBeAmong(flag, open.flags);
  if (reading?.sure === true) return reading.given.some(({ names }) => names.includes(flag));
  return option.names.some((name) => mayBeAmong(name, open.flags));
}

function mayBeSubcommand(wanted: ReadonlySet<string>, { open, grammar, reading }: CommandLine): boolean {
  if (grammar === undefined || open === undefined) return true;
  if (reading?.sureOfSubcommand === true && reading.subcommand !== undefined)
    return workOf(reading.subcommand).some((name) => wanted.has(name));
  // A word that is no sub-command may be an alias that the agent has configured for any.
  if (reading?.sureOfSubcommand === true) return reading.operands.length > 0;
  return open.args.some((arg) => workOf(findSubcommand(grammar, arg)).some((name) => wanted.has(name)));
}

/** Its own, and whatever it does for others on its way. */
function workOf(one: Subcommand | undefined): readonly string[] {
  return one === undefined ? [] : [one.name, ...(one.does ?? [])];
}
