import { findSubcommand } from '../arguments/find-subcommand.ts';
import { type KnownTools, knownTools } from '../arguments/tools/known-tools.ts';
import type { Policy, Rule } from '../policy.ts';
import { plainWordsOf } from './plain-words.ts';
import { ruleAt } from './rule-at.ts';

/** Sub-commands that do nearly the same and are judged each by itself: who denies the first may mean the second. */
const twins = [{ tool: 'npm', first: 'install', second: 'ci' }] as const;

/** Strict rules about one of two such sub-commands, if no rule names the other. One line each. */
export function findUnnamedTwins({ rules, known = knownTools }: Policy & { version: 1 }): string[] {
  return twins.flatMap(({ tool, first, second }) => {
    const names = (rule: Rule, name: string) =>
      (rule.tools?.has(tool) ?? true) && subcommandsOf(rule, tool, known).has(name);
    if (rules.some((rule) => names(rule, second))) return [];
    return rules
      .filter((rule) => rule.action !== 'allow' && names(rule, first))
      .map(
        (rule) =>
          `${ruleAt(rule)} is about ${tool} ${first}, and not about ${tool} ${second}, which installs, too: name it`,
      );
  });
}

function subcommandsOf({ subcommands, args }: Rule, tool: string, known: KnownTools): ReadonlySet<string> {
  const grammar = known.get(tool);
  const words = [...(subcommands ?? []), ...plainWordsOf(args?.items[0])];
  return new Set(words.flatMap((word) => (grammar && findSubcommand(grammar, word)?.name) ?? []));
}
