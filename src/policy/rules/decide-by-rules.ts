import {
  type Action,
  type Decision,
  type Policy,
  type Rule,
  type ToolDefinition,
  usualDoors,
} from '../policy.ts';
import { CommandLine, type LineFacts, type Sources } from './command-line.ts';
import { doorsOf, joinedConsent, strictestConsent, withConsent } from './consent.ts';
import { forbiddenFor } from './forbidden-characters.ts';
import { concerns, fitsStrictly, matchesExactly } from './match-rule.ts';
import { rulesAbout } from './rule-index.ts';
import { agree, tighterLimit, withOverrides, withTighter } from './run-overrides.ts';
import { whyUnsure } from './why-unsure.ts';
import { withoutRule } from './without-rule.ts';

/** Arguments: the words from a position on. */
export interface PlacedArgs {
  readonly all: readonly string[];
  readonly from: number;
}

/** The inputs of one decision. */
export interface Judging extends Sources {
  readonly policy: Policy & { version: 1 };
}

/** A decision, and the rules that made it: all with the same action; empty if no rule matches the command. */
export interface Ruling {
  readonly decision: Decision;
  readonly rules: readonly Rule[];
}

/**
 * Deny beats ask beats allow. A command that would run unasked is compared with ask rules as strictly as with deny
 * rules.
 */
export function decideByRules(
  judging: Judging,
  facts: LineFacts,
  args: PlacedArgs,
  tool: ToolDefinition,
): Ruling {
  const { policy, index, work } = judging;
  const words = work.wordsOf(args.all, tool.forbidden);
  if (words.hasAnyOf(tool.forbidden, args.from))
    return { decision: forbiddenFor(tool, words.nameOfOne(tool.forbidden)), rules: [] };
  const line = new CommandLine(facts, { words, from: args.from }, judging);
  const about = (action: Action) =>
    rulesAbout(index, facts.tool, action).filter((rule) => concerns(rule, facts));
  const exactly = (action: Action) =>
    ruled(
      about(action).filter((rule) => matchesExactly(rule, line)),
      tool,
    );
  const ruling = strictly(about('deny'), line, tool) ??
    exactly('ask') ??
    exactly('allow') ?? { decision: withoutRule(policy, tool), rules: [] };
  const strictest =
    ruling.decision.action === 'allow' ? (strictly(about('ask'), line, tool) ?? ruling) : ruling;
  const asked = needing(strictest, about('ask'), line);
  // A rule that could not be evaluated may have had a tighter limit, or may have been the one about the command.
  const isUntold = work.effort.isSpent && (asked.decision.action !== 'deny' || asked.rules.length === 0);
  return isUntold ? { decision: tooLong, rules: [] } : asked;
}

/**
 * What an ask rule says of a line that is asked about anyway counts in doubt, too, if it is stricter: no other spelling needs fewer
 * people, is asked more often or runs within wider limits.
 */
function needing(ruling: Ruling, asking: readonly Rule[], line: CommandLine): Ruling {
  if (ruling.decision.action !== 'ask') return ruling;
  const deciding = new Set(ruling.rules);
  const fits = (rule: Rule) => deciding.has(rule) || fitsStrictly(rule, line) !== 'no';
  const saying = asking.filter((rule) => saysHow(rule) && fits(rule));
  const consent = strictestConsent(saying.map((rule) => rule.consent));
  const doors = consent === undefined ? [] : doorsOf(consent);
  // A rule without answer-in has the usual doors. It is looked for only if it would take one away.
  const isWider = doors.some((door) => !usualDoors.includes(door));
  const isUsual = (rule: Rule) => rule.consent === undefined && fits(rule);
  const narrowed = isWider && asking.some(isUsual) ? joinedConsent([consent, undefined]) : consent;
  const others = saying.filter((rule) => !deciding.has(rule));
  return { ...ruling, decision: withConsent(tightened(ruling.decision, others), narrowed) };
}

function saysHow({ consent, rate, timeoutMs, overrides }: Rule): boolean {
  return [consent, rate, timeoutMs, overrides].some((said) => said !== undefined);
}

const tooLong: Decision = {
  action: 'deny',
  rule: 'too-long',
  reason: 'the arguments are too many to be held against the rules of the policy',
  code: 'too-large',
};

/** Certain matches come first; an uncertain one says which word was not understood. */
function strictly(rules: readonly Rule[], line: CommandLine, tool: ToolDefinition): Ruling | undefined {
  const unsure: Rule[] = [];
  const sure: Rule[] = [];
  for (const rule of rules) {
    const fit = fitsStrictly(rule, line);
    if (fit === 'unsure') unsure.push(rule);
    if (fit === 'yes') sure.push(rule);
    // No other one changes anything.
    if (fit === 'yes' && rule.action === 'deny') break;
  }
  const ruling = ruled(sure, tool, unsure);
  if (ruling === undefined || sure.length > 0) return ruling;
  const { decision } = ruling;
  return { ...ruling, decision: { ...decision, reason: `${decision.reason} (${whyUnsure(line)})` } };
}

/** The rules all have the same action. Of those that only may be about the line counts what makes it stricter. */
function ruled(
  sure: readonly Rule[],
  tool: ToolDefinition,
  unsure: readonly Rule[] = [],
): Ruling | undefined {
  const rules = [...sure, ...unsure];
  const [first] = rules;
  if (first === undefined) return undefined;
  const { action, name, reason, instead } = first;
  const said = { action, rule: name, reason, ...(instead === undefined ? {} : { instead }) };
  if (action === 'deny') return { decision: { ...said, code: 'denied-by-rule' }, rules };
  const effective = withOverrides(tool, sure);
  if (effective === undefined) return { decision: conflict(sure), rules };
  return { decision: tightened({ ...said, ...effectsOf(sure), tool: effective }, unsure), rules };
}

/** Held to what these rules say besides, as far as that is stricter. */
function tightened(decision: Decision, rules: readonly Rule[]): Decision {
  const { tool } = decision;
  if (tool === undefined || rules.length === 0) return decision;
  const { timeoutMs, rates = [] } = effectsOf(rules);
  const all = [...(decision.rates ?? []), ...rates];
  return {
    ...decision,
    tool: withTighter(tool, rules),
    ...(timeoutMs !== undefined && {
      timeoutMs: tighterLimit(decision.timeoutMs ?? tool.timeoutMs, timeoutMs),
    }),
    ...(all.length > 0 && { rates: all }),
  };
}

function effectsOf(rules: readonly Rule[]): Pick<Decision, 'timeoutMs' | 'rates'> {
  const timeouts = rules.flatMap(({ timeoutMs }) => timeoutMs ?? []);
  const rates = rules.flatMap(({ rate }) => rate ?? []);
  return {
    ...(timeouts.length === 0 ? {} : { timeoutMs: Math.min(...timeouts) }),
    ...(rates.length === 0 ? {} : { rates }),
  };
}

function conflict(rules: readonly Rule[]): Decision {
  const names = rules.filter(({ overrides }) => overrides !== undefined).map(({ name }) => name);
  const why = agree(rules.flatMap(({ overrides }) => overrides ?? []))
    ? 'have it run in a session with a network or secrets, which a session goes without'
    : 'each say where it runs, and not the same';
  const reason = `the rules ${names.toSorted().join(', ')} ${why}`;
  return { action: 'deny', rule: 'conflict', reason, code: 'denied-by-rule' };
}
