import { FlagIndex } from '../arguments/flags.ts';
import type { Action, Rule, RuleIndex } from '../policy.ts';
import { WantedWords } from './wanted-words.ts';

export function indexRules(rules: readonly Rule[]): RuleIndex {
  const flags = new FlagIndex<Rule>();
  const byTool = new Map<string, Record<Action, Rule[]>>();
  const ofEveryTool = none();
  for (const rule of rules) {
    for (const flag of rule.flags ?? []) flags.add(flag, rule);
    if (rule.tools === undefined) ofEveryTool[rule.action].push(rule);
    for (const tool of rule.tools ?? []) {
      const sorted = byTool.get(tool) ?? none();
      byTool.set(tool, sorted);
      sorted[rule.action].push(rule);
    }
  }
  const needs = rules.flatMap(({ args }) => args?.needs ?? []);
  return {
    ...{ rules, flags, byTool, ofEveryTool, rows: rowsOf(rules) },
    words: new WantedWords(needs.map(({ item }) => item)),
    order: new Map(rules.map((rule, place) => [rule, place])),
  };
}

/** In their order. */
export function rulesAbout(
  { byTool, ofEveryTool, order }: RuleIndex,
  tool: string,
  action: Action,
): readonly Rule[] {
  const own = byTool.get(tool)?.[action] ?? [];
  const all = ofEveryTool[action];
  if (own.length === 0 || all.length === 0) return own.length === 0 ? all : own;
  const placeOf = (rule: Rule) => order.get(rule) ?? 0;
  return [...own, ...all].sort((a, b) => placeOf(a) - placeOf(b));
}

function none(): Record<Action, Rule[]> {
  return { deny: [], ask: [], allow: [] };
}

/** Flags of strict rules that may be several options in one word, or an option with its value. */
function rowsOf(rules: readonly Rule[]): ReadonlyMap<Rule, readonly string[]> {
  const strict = rules.filter(({ action }) => action !== 'allow');
  const rows = strict.map((rule) => [rule, rule.flags?.filter(({ length }) => length > 2) ?? []] as const);
  return new Map(rows.filter(([, flags]) => flags.length > 0));
}
