import type { Reading } from '../arguments/reading.ts';
import type { Rule } from '../policy.ts';
import { isInside } from '../request/normalize-cwd.ts';
import type { CommandLine, Fit, LineFacts } from './command-line.ts';

/** Whether a rule matches the caller and the place, whatever the tool and the arguments. */
export function concerns(rule: Rule, { uid, agent, labels, cwd }: LineFacts): boolean {
  return (
    (rule.uids?.has(uid) ?? true) &&
    (rule.agents?.has(agent) ?? true) &&
    (rule.labels?.every(([name, value]) => labels?.[name] === value) ?? true) &&
    (rule.cwd?.some((directory) => isInside(cwd, directory)) ?? true)
  );
}

/** The arguments are literally those of the rule. No rule allows what nobody could look at. */
export function matchesExactly(rule: Rule, line: CommandLine): boolean {
  return (
    !line.isSpent &&
    (rule.flags === undefined || line.hasLasting(rule)) &&
    (rule.subcommands === undefined || line.isOneOf(rule.subcommands)) &&
    (rule.safeArguments !== true || line.isSafe) &&
    (rule.args === undefined || line.fitsLiterally(rule.args)) &&
    (isAboutAll(rule) || line.saysAllReadAgain(rule)) &&
    (rule.cwd === undefined || rule.action !== 'allow' || !line.mayLeave(rule))
  );
}

/** The tool may read the arguments as those of the rule: for rules that make the answer stricter. */
export function fitsStrictly(rule: Rule, line: CommandLine): Fit {
  if (isAboutAll(rule)) return 'yes';
  if (line.isSpent) return 'unsure';
  if (line.reading?.sure === false) return isRuledOut(rule, line, line.reading) ? 'no' : 'unsure';
  if (rule.subcommands !== undefined && !mayBeAmong(rule.subcommands, line)) return 'no';
  if (rule.safeArguments === true && !line.isSafe) return 'no';
  const byFlags = rule.flags === undefined ? 'yes' : line.fitsFlagsTogether(rule);
  if (byFlags === 'no' || rule.args === undefined) return byFlags;
  const byArgs = line.fitsStrictly(rule.args);
  return byArgs === 'yes' ? byFlags : byArgs;
}

/** Whatever the arguments are. */
export function isAboutAll({ args, flags, subcommands, safeArguments }: Rule): boolean {
  return args === undefined && flags === undefined && subcommands === undefined && safeArguments !== true;
}

/** A strict rule also covers the work of others that the line does. */
function mayBeAmong(wanted: ReadonlySet<string>, line: CommandLine): boolean {
  return line.isOneOf(wanted) || line.doesWorkOf(wanted);
}

/** The sub-command is certainly another one. */
function isRuledOut({ subcommands, args }: Rule, line: CommandLine, reading: Reading): boolean {
  if (!reading.sureOfSubcommand || reading.subcommand === undefined) return false;
  if (subcommands !== undefined && !mayBeAmong(subcommands, line)) return true;
  return args !== undefined && line.surelyBeginsOtherwise(args);
}
