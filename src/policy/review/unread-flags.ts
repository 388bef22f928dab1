import { noValue, readWord } from '../arguments/read-word.ts';
import { leavesOf, type ToolGrammar } from '../arguments/tools/grammar.ts';
import { type KnownTools, knownTools } from '../arguments/tools/known-tools.ts';
import type { Policy, Rule } from '../policy.ts';
import { ruleAt } from './rule-at.ts';

/** Allow rules by flags of tools that are not known, and flags of one dash and several letters that do not hold for what
 * their author may mean: one line each. */
export function findUnreadFlags({ rules, tools, known = knownTools }: Policy & { version: 1 }): string[] {
  const idle = rules.flatMap((rule) => neverAllows(rule, [...(rule.tools ?? [])], known));
  return idle.concat(unreadRows(rules, tools, known));
}

function neverAllows(rule: Rule, named: readonly string[], known: KnownTools): string[] {
  const tool = rule.action === 'allow' && rule.flags ? named.find((each) => !known.has(each)) : undefined;
  return tool === undefined
    ? []
    : [
        `${ruleAt(rule)}: flags never allow a line of ${tool}, because its options are not known: say the lines in args, or what it knows in tools.${tool}.arguments`,
      ];
}

function unreadRows(
  rules: readonly Rule[],
  tools: ReadonlyMap<string, unknown>,
  known: KnownTools,
): string[] {
  return rules.flatMap((rule) =>
    (rule.flags ?? []).filter(isRow).flatMap((flag) => {
      const found = [...(rule.tools ?? tools.keys())].flatMap((tool) =>
        problemOf(rule, flag, tool, known.get(tool)),
      );
      return found.slice(0, 1).map((problem) => `${ruleAt(rule)}: flags: "${flag}" ${problem}`);
    }),
  );
}

function isRow(flag: string): boolean {
  return flag.length > 2 && !flag.startsWith('--');
}

function problemOf({ action }: Rule, flag: string, tool: string, grammar?: ToolGrammar): string[] {
  const isStrict = action !== 'allow';
  if (grammar === undefined)
    return isStrict
      ? [
          `is read as one name, because the options of ${tool} are not known: if it is letters in a row, or a letter with its value, name the one letter that must not be given`,
        ]
      : [];
  const places = [grammar, ...leavesOf(grammar.subcommands)];
  if (places.some(({ options }) => options.has(flag) || options.has(`-${flag}`))) return [];
  const isRead = places.some((place) => {
    const read = readWord(grammar, place, [flag, noValue]);
    return read.sure && read.given.length > 0;
  });
  if (isRead)
    return isStrict
      ? []
      : [`is several options for ${tool}, or one with its value, so it never allows: name one option`];
  return [
    `is no option of ${tool} that is known, nor several in a row, nor one with its value: ${isStrict ? 'the rule holds only for lines that are not understood' : 'it never allows'}`,
  ];
}
