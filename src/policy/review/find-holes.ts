import { leavesOf, type Option, type ToolGrammar } from '../arguments/tools/grammar.ts';
import type { KnownTools } from '../arguments/tools/known-tools.ts';
import type { Rule } from '../policy.ts';
import { ruleAt } from './rule-at.ts';

/** Rules whose wildcards allow more than their author meant: one line each. */
export function findHoles(rules: readonly Rule[], known: KnownTools): string[] {
  const denials = rules.filter(({ action }) => action === 'deny');
  return rules
    .filter(({ action }) => action === 'allow')
    .flatMap((rule) => [
      ...leadingWildcards(rule),
      ...farShells(rule),
      ...riskyOptions(rule, denials, known),
    ]);
}

/** If the first argument may be anything, it may be an option that changes the meaning of the others. */
function leadingWildcards(rule: Rule): string[] {
  const { args, tools = new Set() } = rule;
  const items = args?.items ?? [];
  const [first] = items;
  const isOpen =
    first === '**'
      ? items.some((item) => item !== '**')
      : first?.some((pieces) => pieces[0] === '' && pieces.length > 1);
  if (isOpen !== true) return [];
  return [`${ruleAt(rule)}: the first of args may be anything, also an option of ${[...tools].join(', ')}`];
}

/** ssh joins the words after the host, and a shell there splits them again. */
function farShells(rule: Rule): string[] {
  const { args, tools } = rule;
  const [, ...command] = args?.items ?? [];
  const isOpen = command.some((item) => item === '**' || item.some((pieces) => pieces.length > 1));
  if (!isOpen || tools?.has('ssh') !== true) return [];
  return [
    `${ruleAt(rule)}: a shell on the other side reads what * lets through of ssh, and runs what follows a ;`,
  ];
}

const shown = 4;

function riskyOptions(rule: Rule, denials: readonly Rule[], known: KnownTools): string[] {
  if (rule.safeArguments === true || !leavesRoom(rule)) return [];
  return [...(rule.tools ?? [])].flatMap((tool) => {
    const open = riskyOf(known.get(tool), rule).filter(
      (option) => !denials.some((denial) => covers(denial, tool, option)),
    );
    if (open.length === 0) return [];
    const names = open.slice(0, shown).map(({ names: spellings }) => spellings.at(-1) ?? '');
    const more = open.length > shown ? ' ...' : '';
    return `${ruleAt(rule)} allows ${tool} with ${names.join(', ')}${more}: add safe-arguments: true, or deny them`;
  });
}

function leavesRoom({ args }: Rule): boolean {
  return args === undefined || args.items.includes('**');
}

function riskyOf(grammar: ToolGrammar | undefined, { subcommands }: Rule): Option[] {
  if (grammar === undefined) return [];
  const ownOf = (word: string) => grammar.subcommands?.get(word)?.name ?? word;
  const named = subcommands && new Set([...subcommands].flatMap((word) => [word, ownOf(word)]));
  const tables = [
    grammar.options,
    ...leavesOf(grammar.subcommands)
      // For the other tools the effect of options is unknown.
      .filter(({ name, harmless }) => harmless && (named?.has(name) ?? true))
      .map(({ options }) => options),
  ];
  return [...new Set(tables.flatMap((table) => [...table.values()]))].filter(({ harmless }) => !harmless);
}

function covers(
  { tools, flags, args, agents, uids, labels, cwd, subcommands }: Rule,
  tool: string,
  { names }: Option,
): boolean {
  const isNarrow = [args, agents, uids, labels, cwd, subcommands].some(
    (condition) => condition !== undefined,
  );
  return !isNarrow && (tools?.has(tool) ?? true) && (flags?.some((flag) => names.includes(flag)) ?? true);
}
