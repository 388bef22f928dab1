import { findSubcommand } from '../arguments/find-subcommand.ts';
import type { Subcommand } from '../arguments/tools/grammar.ts';
import { type KnownTools, knownTools } from '../arguments/tools/known-tools.ts';
import type { Policy, Rule } from '../policy.ts';
import { smallLetters } from '../small-letters.ts';
import { plainWordsOf } from './plain-words.ts';
import { ruleAt } from './rule-at.ts';

/** Strict rules whose second word is an operand: its tool may take it by other names, which the data does not have. */
export function findLooseOperands({ rules, tools, known = knownTools }: Policy & { version: 1 }): string[] {
  return rules.flatMap((rule) => {
    if (rule.action === 'allow') return [];
    const names = [...(rule.tools ?? tools.keys())];
    return names.flatMap((tool) => looseWordOf(rule, tool, known) ?? []).slice(0, 1);
  });
}

function looseWordOf(rule: Rule, tool: string, known: KnownTools): string | undefined {
  const [first, second] = rule.args?.items ?? [];
  const grammar = known.get(tool);
  if (first === undefined || second === undefined || grammar === undefined) return undefined;
  for (const command of plainWordsOf(first)) {
    const one = findSubcommand(grammar, command);
    const word = plainWordsOf(second).find((each) => one !== undefined && isLoose(one, each));
    if (word !== undefined)
      return `${ruleAt(rule)}: "${word}" is an operand of ${tool} ${command}: args compare it as it is written, and not with other names that ${tool} may take for it`;
  }
  return undefined;
}

/** Of a sub-command that runs scripts it is the name of one of these, which has no other. */
function isLoose({ subcommands, words, resources, also = [], runs }: Subcommand, word: string): boolean {
  if (subcommands !== undefined || runs !== undefined || word === '' || word.startsWith('-')) return false;
  const isNamed = also.some(({ firstOperand }) => typeof firstOperand === 'object' && firstOperand.has(word));
  const name = smallLetters(word);
  return words?.has(name) !== true && resources?.names.has(name) !== true && !isNamed;
}
