import { describe, expect, test } from 'vitest';
import type {
  ImpliedWork,
  Option,
  OptionTable,
  Style,
  Subcommand,
  ToolGrammar,
} from '../arguments/tools/grammar.ts';
import { leavesOf } from '../arguments/tools/grammar.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action, Policy } from '../policy.ts';
import { decide } from './decide.ts';

const parsed = new Map<string, Policy>();

/** What becomes of a line where all of its tool is allowed, but for one rule. */
function actionOf(tool: string, about: string, action: Action, args: readonly string[]): Action {
  const key = `${tool} ${about} ${action}`;
  const rules = `  - { name: all, tools: [${tool}], action: allow }\n  - { name: one, tools: [${tool}], ${about}, action: ${action} }`;
  const text = `version: 1\ntools: { ${tool}: { strategy: mirror } }\nrules:\n${rules}\ncomplete: true\n`;
  const policy = parsed.get(key) ?? load(text);
  parsed.set(key, policy);
  return decide(policy, { agent: 'a', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;
}

function load(text: string): Policy {
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

/** A deny by the sub-command's name, and an ask by its words. */
const rulesAbout = (name: string) => [
  [`subcommands: ["${name.split(' ')[0]}"]`, 'deny'] as const,
  [
    `args: [${name
      .split(' ')
      .map((word) => `"${word}"`)
      .join(', ')}, "**"]`,
    'ask',
  ] as const,
];

const isLong = process.env['CLAWRDEN_LONG'] === '1';

/** One of eight, always the same, and not each eighth one: those would be of one form. */
const isSampled = (at: number) => Math.imul(at + 1, 0x9e3779b1) >>> 29 === 0;

interface Implied {
  readonly tool: string;
  readonly grammar: ToolGrammar;
  readonly one: Subcommand;
  readonly also: ImpliedWork;
}

const implied: readonly Implied[] = knownTools.entries().flatMap(([tool, grammar]) =>
  leavesOf(grammar.subcommands).flatMap((one) => {
    const table = [...one.options.keys()];
    const general = (grammar.also ?? []).filter(({ options }) =>
      [...table, ...grammar.options.keys()].some((name) => options?.has(name)),
    );
    return [...(one.also ?? []), ...general].map((also) => ({ tool, grammar, one, also }));
  }),
);

/** Every way to write it, also those that are not understood: the rule must hold for these, too. */
function formsOf(option: Option, style: Style, { containing }: ImpliedWork): string[][] {
  const texts = (containing ?? ['1']).flatMap((part) => [part, `type=${part.toUpperCase()},x=y`]);
  return option.names.flatMap((name) => {
    const isLetter = name.length === 2;
    const dashed = style === 'nopt' || style === 'words' ? [name, `-${name}`] : [name];
    const cut = name.length < 4 ? [] : [name.slice(0, -1)];
    return [...dashed, ...cut].flatMap((word) => {
      if (option.value === 'none') return [[word], ...(isLetter ? [] : [[`${word}=true`]])];
      const attached = texts.map((text) => [
        isLetter && style !== 'words' ? `${word}${text}` : `${word}=${text}`,
      ]);
      return option.value === 'optional'
        ? [[word], ...attached]
        : [...attached, ...texts.map((text) => [word, text])];
    });
  });
}

/** Without those options that only have the name of one of the tool's. */
function generalIn(own: OptionTable, tool: OptionTable): OptionTable {
  return new Map([...own].filter(([name, option]) => (tool.get(name) ?? option) === option));
}

function linesOf({ grammar, one, also }: Implied): string[][] {
  const style = one.style ?? grammar.style;
  return one.spellings.flatMap((words) => {
    if (also.laterOperand !== undefined) {
      const later = (also.containing ?? ['']).map((part) => `y${part}`);
      return later.flatMap((word) => [
        [...words, 'x', word],
        [...words, 'x', 'z', word],
        [...words, '--strange', 'x'],
      ]);
    }
    if (also.firstOperand !== undefined) {
      if (also.firstOperand === 'given')
        return [
          [...words, 'x'],
          [...words, 'x', '--', 'y'],
        ];
      if (also.firstOperand === 'none') return [[...words], [...words, '--', 'x']];
      const first =
        also.firstOperand === 'any'
          ? (also.containing ?? ['']).map((part) => `x${part}`)
          : [...also.firstOperand];
      return first.flatMap((word) => [
        [...words, word],
        [...words, word, 'y'],
        [...words, '--strange', word],
      ]);
    }
    const formsIn = (table: OptionTable) =>
      [...new Set([...(also.options ?? [])].flatMap((name) => table.get(name) ?? []))].flatMap((option) =>
        formsOf(option, style, also),
      );
    const isGeneral = grammar.also?.includes(also) === true;
    const before = isGeneral ? formsIn(grammar.options) : [];
    return formsIn(isGeneral ? generalIn(one.options, grammar.options) : one.options)
      .flatMap((form) => [
        [...words, ...form],
        [...words, ...form, 'x'],
        ...(style === 'posix' ? [] : [[...words, 'x', ...form]]),
      ])
      .concat(before.map((form) => [...form, ...words]));
  });
}

describe('A-77 P7: an option or an operand that does the work of another sub-command counts as it', () => {
  test('if a rule denies or asks, in every spelling', () => {
    const lines = implied
      .flatMap((each) => linesOf(each).map((args) => ({ each, args })))
      .filter(({ each }, at) => isLong || each.grammar.also?.includes(each.also) !== true || isSampled(at));
    const open = lines.flatMap(({ each: { tool, also }, args }) =>
      also.does.flatMap((name) =>
        rulesAbout(name)
          .filter(([about, action]) => actionOf(tool, about, action, args) !== action)
          .map(([about, action]) => `${action} ${about}: ${tool} ${args.join(' ')}`),
      ),
    );
    expect(open).toEqual([]);
    expect(new Set(implied.map(({ tool }) => tool)).size).toBeGreaterThan(4);
    expect(lines.length).toBeGreaterThan(200);
  });

  test('and without the option, or with another value or operand, it does not', () => {
    const open = implied.flatMap(({ tool, grammar, one, also }) => {
      // It may be another one: every strict rule holds for it.
      if (grammar.mayBeAliases?.has(one.name) === true || one.unclearOperands !== undefined) return [];
      if (one.otherLines?.includes('') === true) return [];
      const byAny = (one.also ?? []).filter(
        ({ firstOperand: word, containing }) => (word === 'any' || word === 'given') && !containing,
      );
      const known = [
        one.name,
        ...(one.does ?? []),
        ...byAny.filter((other) => other !== also).flatMap(({ does }) => does),
      ];
      const others = new Set(known.map((name) => name.split(' ')[0]));
      const own = also.does.filter((name) => !others.has(name.split(' ')[0]));
      const isBare = byAny.includes(also) || also.laterOperand !== undefined;
      const lines = one.spellings.map((words) => (isBare ? words : [...words, 'x']));
      return own.flatMap((name) =>
        lines
          .filter((args) =>
            rulesAbout(name).some(([about, action]) => actionOf(tool, about, action, args) !== 'allow'),
          )
          .map((args) => `${name}: ${tool} ${args.join(' ')}`),
      );
    });
    expect(open).toEqual([]);
  });

  test('nor for a rule that allows', () => {
    const open = implied.flatMap(({ tool, one, also }) => {
      const wanted = also.does
        .map((name) => name.split(' ')[0] ?? '')
        .filter((name) => name !== one.name.split(' ')[0]);
      const lines = linesOf({ tool, grammar: knownTools.get(tool)!, one, also });
      return wanted.flatMap((name) =>
        lines
          .filter((args) => isAllowedBy(tool, name, args))
          .map((args) => `${name}: ${tool} ${args.join(' ')}`),
      );
    });
    expect(open).toEqual([]);
  });
});

function isAllowedBy(tool: string, name: string, args: readonly string[]): boolean {
  const text = `version: 1\ntools: { ${tool}: { strategy: mirror } }\nrules:\n  - { name: one, tools: [${tool}], subcommands: ["${name}"], action: allow }\ncomplete: true\n`;
  const policy = parsed.get(text) ?? load(text);
  parsed.set(text, policy);
  return decide(policy, { agent: 'a', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action === 'allow';
}
