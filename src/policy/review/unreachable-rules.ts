import { isDeepStrictEqual } from 'node:util';
import type { Action, Rule } from '../policy.ts';
import { placedName, ruleAt } from './rule-at.ts';

const strictness: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };

/** Rules that never decide, because a stricter rule covers everything that they match. */
export function findUnreachable(rules: readonly Rule[]): string[] {
  return rules.flatMap((rule) => {
    const over = rules.find(
      (other) => strictness[other.action] > strictness[rule.action] && covers(other, rule),
    );
    return over === undefined
      ? []
      : `${ruleAt(rule)} never decides: ${placedName(over)} is stricter and about the same`;
  });
}

/** Certain if true; two different patterns may still cover each other. */
function covers(wide: Rule, narrow: Rule): boolean {
  return (
    includesAll(wide.tools, narrow.tools) &&
    includesAll(wide.uids, narrow.uids) &&
    includesAll(wide.agents, narrow.agents) &&
    includesAll(wide.subcommands, narrow.subcommands) &&
    (wide.labels === undefined || isDeepStrictEqual(wide.labels, narrow.labels)) &&
    (wide.cwd === undefined || isDeepStrictEqual(wide.cwd, narrow.cwd)) &&
    (wide.safeArguments !== true || narrow.safeArguments === true) &&
    (wide.args === undefined || isDeepStrictEqual(wide.args, narrow.args)) &&
    (wide.flags === undefined || isDeepStrictEqual(wide.flags, narrow.flags))
  );
}

/** `undefined` means everything. */
function includesAll<T>(wide: ReadonlySet<T> | undefined, narrow: ReadonlySet<T> | undefined): boolean {
  return wide === undefined || (narrow !== undefined && [...narrow].every((item) => wide.has(item)));
}
