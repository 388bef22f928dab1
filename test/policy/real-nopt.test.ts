import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readArguments } from '../../src/policy/arguments/read-arguments.ts';
import { hasSafeArguments } from '../../src/policy/arguments/safe-arguments.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { grammarOf } from './command-lines.ts';
import { findTool } from './scratch.ts';

/** npm's own reading of a line. */
interface Meant {
  /** The name of its sub-command. */
  readonly command: string;
  /** The words behind it that are no options and no values of any. */
  readonly operands: readonly string[];
  /** Its options by their long names, with their values. */
  readonly options: Readonly<Record<string, unknown>>;
}

interface Npm {
  readonly read: (args: readonly string[]) => Meant;
  /** Every word that is an option or a shorthand of one. */
  readonly names: readonly string[];
  readonly commands: readonly string[];
}

interface Nopt {
  (types: object, shorthands: object, args: readonly string[], from: number): Parsed;
  typeDefs: unknown;
}

type Parsed = Readonly<Record<string, unknown>> & { readonly argv: { readonly remain: readonly string[] } };

interface Definitions {
  readonly definitions: Readonly<Record<string, { readonly type: unknown }>>;
  readonly shorthands: Readonly<Record<string, unknown>>;
}

interface CommandList {
  readonly deref: (word: string | undefined) => string | undefined;
  readonly commands: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
}

/** Absent if npm is not installed, or keeps its parser elsewhere. */
function findNpm(): Npm | undefined {
  try {
    const within = createRequire(realpathSync(findTool('npm') ?? ''));
    const nopt = within('nopt') as Nopt;
    const { definitions, shorthands } = within('@npmcli/config/lib/definitions') as Definitions;
    const { deref, commands, aliases } = within('../lib/utils/cmd-list.js') as CommandList;
    nopt.typeDefs = within('@npmcli/config/lib/type-defs.js');
    const types = Object.fromEntries(Object.entries(definitions).map(([name, { type }]) => [name, type]));
    return {
      read: (args) => {
        const { argv, ...options } = nopt(types, shorthands, args, 0);
        return { command: deref(argv.remain[0]) ?? '', operands: argv.remain.slice(1), options };
      },
      names: [...Object.keys(definitions), ...Object.keys(shorthands)],
      commands: [...commands, ...Object.keys(aliases)],
    };
  } catch {
    return undefined;
  }
}

const found = findNpm();

const policyWith = (denial: string): Policy => {
  const result = parsePolicy(
    `version: 1
tools: { npm: { strategy: mirror } }
rules:
  - { name: all, tools: [npm], action: allow }
  - { name: no, tools: [npm], ${denial}, action: deny }
complete: true
`,
    'p.yaml',
  );
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
};

const npm = grammarOf('npm');

const risky = [...new Set(npm.options.values())]
  .filter(({ harmless }) => !harmless)
  .map(({ names: [first = ''] }) => first.slice(2))
  // npm answers its own question with it; both spellings are one option for npm.
  .filter((name) => name !== 'yes' && name !== 'no-yes');
const denials = new Map(risky.map((name) => [name, policyWith(`flags: ["--${name}"]`)]));
const names = [...new Set([...(npm.subcommands?.values() ?? [])].map(({ name }) => name))];
const bySubcommand = new Map(names.map((name) => [name, policyWith(`subcommands: ["${name}"]`)]));
const byArgs = new Map(names.map((name) => [name, policyWith(`args: ["${name}", "**"]`)]));

const isDenied = (policy: Policy | undefined, args: readonly string[]) =>
  policy === undefined ||
  decide(policy, { agent: 'a', tool: 'npm', args, uid: 1, gid: 1, cwd: '/app' }).action === 'deny';

/** Differences between npm's reading and ours. */
function missed({ read }: Npm, args: readonly string[]): string[] {
  const { command, operands, options } = read(args);
  const reading = readArguments(npm, args);
  const isSafe = hasSafeArguments(npm, reading);
  const given = risky.filter(
    (name) => options[name] !== undefined && !(name === 'global' && options[name] === false),
  );
  return [
    ...given.filter((name) => isSafe || !isDenied(denials.get(name), args)).map((name) => `--${name}`),
    ...(isDenied(bySubcommand.get(command), args) && isDenied(byArgs.get(command), args) ? [] : [command]),
    ...(reading.sure && reading.operands.join('\n') !== operands.join('\n')
      ? [`${operands.join()} of ${command}`]
      : []),
    ...(isSafe && npm.subcommands?.get(command)?.harmless === false ? [`safe ${command}`] : []),
  ];
}

test.skipIf(found === undefined)(
  'A-31 A-154 P7 whatever npm takes a line for, a rule that denies it does so too',
  { timeout: 600_000 },
  () => {
    const own = found!;
    const cut = fc
      .constantFrom(...own.names)
      .chain((name) => fc.nat(name.length).map((end) => name.slice(0, end)));
    const letters = fc
      .array(fc.constantFrom(...'glspcCwadDLynfqvhmBHi'), { minLength: 1, maxLength: 3 })
      .map((all) => all.join(''));
    const dashes = fc.constantFrom('-', '--', '--', '---', '--no-', '--no-no-', '-no-', '--NO-', '');
    const flag = fc
      .tuple(dashes, fc.oneof(fc.constantFrom(...own.names), cut, letters))
      .map((parts) => parts.join(''));
    const plain = fc.oneof(
      fc.constantFrom('--', '-', '---', '-=', 'true', 'false', 'null', 'always', 'x', '1', '', 'runScript'),
      fc.constantFrom(...own.commands),
    );
    const one = fc.oneof({ weight: 4, arbitrary: flag }, { weight: 1, arbitrary: plain });
    const word = fc
      .tuple(one, fc.array(one, { maxLength: 2 }))
      .map(([first, rest]) => [first, ...rest].join('='));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (args) => {
        expect(missed(own, args)).toEqual([]);
      }),
      { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 30_000 : 2000 },
    );
  },
);
