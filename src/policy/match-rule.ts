import { hasFlag, mayHaveFlag } from './flags.ts';
import { type ArgPattern, matchesArgs, mayMatchArgs, type Spell } from './match-args.ts';
import { isInside } from './normalize-cwd.ts';
import { openArguments } from './open-arguments.ts';
import type { CommandFacts, Rule } from './policy.ts';
import { findSubcommand, type Reading, readArguments } from './read-arguments.ts';
import { hasSafeArguments } from './safe-arguments.ts';
import type { ToolGrammar } from './tools/grammar.ts';
import { knownTools } from './tools/known-tools.ts';

/** A command with what is known of its tool, taken apart once for all rules. */
export interface CommandLine {
  readonly facts: CommandFacts;
  readonly grammar?: ToolGrammar;
  readonly reading?: Reading;
  /** Where its tool is known: none of the arguments runs a program or writes a file. */
  readonly safe: boolean;
  /** Its arguments as its tool may take them, where it is not sure how it does; absent where that may be anyhow. */
  readonly open: readonly string[] | undefined;
}

export function readCommand(facts: CommandFacts): CommandLine {
  const grammar = knownTools.get(facts.tool);
  if (grammar === undefined) return { facts, safe: false, open: facts.args };
  const reading = readArguments(grammar, facts.args);
  const open = openArguments(grammar, reading, facts.args);
  return { facts, grammar, reading, safe: hasSafeArguments(grammar, reading), open };
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
  const { facts, reading, safe } = line;
  const { args } = facts;
  return (
    (rule.args === undefined || matchesArgs(rule.args, args)) &&
    (rule.flags?.some((flag) => hasFlag(flag, args) && mayBeGiven(flag, line)) ?? true) &&
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

/** In every spelling that the tool knows for its sub-command. */
function mayHaveArgs(pattern: ArgPattern, line: CommandLine): boolean {
  const {
    facts: { args },
    open,
  } = line;
  if (open === undefined) return true;
  const spell = spellingsIn(line);
  return mayMatchArgs(pattern, args, spell) || (open !== args && mayMatchArgs(pattern, open, spell));
}

/** Where it is not sure which word is the sub-command, any may be. */
function spellingsIn({ facts: { args }, grammar, reading }: CommandLine): Spell | undefined {
  if (grammar?.subcommands === undefined || reading === undefined) return undefined;
  const { subcommandAt, sureOfSubcommand } = reading;
  return (arg) => {
    const isMeant = !sureOfSubcommand || subcommandAt === -1 || arg === args[subcommandAt];
    const one = isMeant ? findSubcommand(grammar, arg) : undefined;
    return one === undefined ? [arg] : [arg, one.name, ...one.aliases];
  };
}

/** Exact where every option was written out and is known, and so is the flag; generous otherwise. */
function mayBeGiven(flag: string, line: CommandLine): boolean {
  const { grammar, reading, open } = line;
  if (open === undefined) return true;
  const option = reading?.subcommand?.options.get(flag) ?? grammar?.options.get(flag);
  if (option === undefined) return mayHaveFlag(flag, open);
  if (reading?.sure === true) return reading.given.some(({ names }) => names.includes(flag));
  return option.names.some((name) => mayHaveFlag(name, open));
}

function mayBeSubcommand(wanted: ReadonlySet<string>, { open, grammar, reading }: CommandLine): boolean {
  if (grammar === undefined || open === undefined) return true;
  if (reading?.sureOfSubcommand === true && reading.subcommand !== undefined)
    return wanted.has(reading.subcommand.name);
  // A word that is no sub-command may be an alias that the agent has configured for any.
  if (reading?.sureOfSubcommand === true) return reading.operands.length > 0;
  return open.some((arg) => wanted.has(findSubcommand(grammar, arg)?.name ?? ''));
}
