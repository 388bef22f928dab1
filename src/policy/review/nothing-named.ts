import { nearestHint } from '../../config/nearest.ts';
import { findSubcommand } from '../arguments/find-subcommand.ts';
import type { ToolGrammar } from '../arguments/tools/grammar.ts';
import { type KnownTools, knownTools } from '../arguments/tools/known-tools.ts';
import type { Policy, Rule } from '../policy.ts';
import { plainWordsOf } from './plain-words.ts';
import { ruleAt } from './rule-at.ts';

/** Rules that name what cannot be: they hold for nothing, and their author may think that they do. One line each. */
export function findNothingNamed({ rules, known = knownTools }: Policy & { version: 1 }): string[] {
  return rules.flatMap((rule) => [
    ...notPatterns(rule, 'flags', 'one flag, and no pattern: write each in a place of its own'),
    ...notPatterns(rule, 'cwd', 'a directory, and no pattern: what is below it is meant, too'),
    ...noSubcommands(rule, known),
  ]);
}

function notPatterns(rule: Rule, key: 'flags' | 'cwd', what: string): string[] {
  return (rule[key] ?? [])
    .filter((text) => /[|*]/.test(text))
    .map((text) => `${ruleAt(rule)}: ${key}: "${text}" is ${what}`);
}

/** A first word that none of the named tools has as a sub-command; all of them have to be known. */
function noSubcommands(rule: Rule, known: KnownTools): string[] {
  const names = [...(rule.tools ?? [])];
  const grammars = names.flatMap((name) => known.get(name) ?? []).filter(hasSubcommands);
  if (names.length === 0 || grammars.length < names.length) return [];
  return plainWordsOf(rule.args?.items[0])
    .filter((word) => !word.startsWith('-') && !grammars.some((grammar) => findSubcommand(grammar, word)))
    .map((word) => {
      const hint = nearestHint(word, new Set(grammars.flatMap(namesOf)), 'name');
      return `${ruleAt(rule)}: "${word}" is no sub-command of ${names.join(' or ')} that is known${hint}`;
    });
}

function hasSubcommands({ subcommands }: ToolGrammar): boolean {
  return subcommands !== undefined && subcommands.size > 0;
}

function namesOf({ subcommands }: ToolGrammar): readonly string[] {
  return [...(subcommands?.keys() ?? [])];
}
