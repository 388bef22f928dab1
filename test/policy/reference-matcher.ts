import type { CommandFacts, Rule } from '../../src/policy/policy.ts';

/** The action of a rule list on plain tools, found slowly and obviously: by trying everything. */
export function referenceAction(rules: readonly Rule[], facts: CommandFacts): 'allow' | 'ask' | 'deny' {
  const about = rules.filter((rule) => isAbout(rule, facts));
  for (const action of ['deny', 'ask', 'allow'] as const) {
    if (about.some((rule) => rule.action === action)) return action;
  }
  return 'deny';
}

/** Reads every rule literally. A strict rule that is read generously may only make the answer stricter than this. */
function isAbout(rule: Rule, facts: CommandFacts): boolean {
  if (rule.tools !== undefined && ![...rule.tools].includes(facts.tool)) return false;
  if (rule.uids !== undefined && ![...rule.uids].includes(facts.uid)) return false;
  if (rule.agents !== undefined && ![...rule.agents].includes(facts.agent)) return false;
  if (rule.labels?.some(([name, value]) => facts.labels?.[name] !== value) === true) return false;
  if (rule.cwd !== undefined && !rule.cwd.some((folder) => foldersOf(facts.cwd).includes(folder)))
    return false;
  if (rule.flags !== undefined && !rule.flags.some((flag) => flagsOf(facts.args).includes(flag)))
    return false;
  return rule.args === undefined || fits(rule.args.items, facts.args);
}

/** The folder itself and all its parents. */
function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function flagsOf(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).map((arg) => arg.split('=')[0] ?? '');
}

function fits(pattern: NonNullable<Rule['args']>['items'], args: readonly string[]): boolean {
  const [item, ...more] = pattern;
  if (item === undefined) return args.length === 0;
  if (item === '**') return fits(more, args) || (args.length > 0 && fits(pattern, args.slice(1)));
  const [arg, ...rest] = args;
  return arg !== undefined && item.some((pieces) => isMade(pieces, arg)) && fits(more, rest);
}

/** Whether a text is the pieces with anything between them. */
function isMade([piece = '', ...rest]: readonly string[], text: string): boolean {
  if (!text.startsWith(piece)) return false;
  const left = text.slice(piece.length);
  if (rest.length === 0) return left === '';
  return Array.from({ length: left.length + 1 }, (_, skip) => left.slice(skip)).some((tail) =>
    isMade(rest, tail),
  );
}
