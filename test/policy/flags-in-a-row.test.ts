import { expect, test } from 'vitest';
import {
  leavesOf,
  type Option,
  type OptionTable,
  type Style,
  type Subcommand,
} from '../../src/policy/arguments/tools/grammar.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { checkPolicy } from '../../src/policy/review/check-policy.ts';
import { compileArgs } from '../../src/policy/rules/match-args.ts';
import { sampled } from '../fixtures/sampled.ts';
import { grammarOf, knownToolNames } from './command-lines.ts';
import { holds, oneRule } from './one-rule.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';

interface Place {
  readonly tool: string;
  readonly options: OptionTable;
  readonly style: Style;
  readonly before: readonly string[];
  readonly behind: readonly string[];
}

/** One flag that is several things to its tool, all ways to write these, and lines without one of them. */
interface Row {
  readonly flag: string;
  readonly written: readonly (readonly string[])[];
  readonly others: readonly (readonly string[])[];
}

const places: readonly Place[] = knownToolNames.flatMap((tool): Place[] => {
  const { options, style, subcommands } = grammarOf(tool);
  const leaves = leavesOf(subcommands).filter(({ untold }) => untold !== true);
  const pathOf = ({ spellings: [first = []] }: Subcommand) => first;
  const [any] = leaves;
  return [
    { tool, options, style, before: [], behind: any === undefined ? ['x'] : pathOf(any) },
    ...leaves.map((one) => ({
      ...{ tool, options: one.options, style: one.style ?? style },
      ...{ before: pathOf(one), behind: ['x'] },
    })),
  ];
});

const lettersOf = ({ options }: Place) =>
  [...options].filter(([name]) => /^-[A-Za-z]$/.test(name)).map(([name, option]) => ({ name, option }));

const readsAttached = ({ tool, style }: Place) =>
  style !== 'words' && style !== 'nopt' && grammarOf(tool).valuesApart !== true;

const valueOf = ({ values }: Option) => ([...(values ?? ['name'])][0] ?? '').replace('#', '1');

interface Named {
  readonly name: string;
  readonly option: Option;
}

/** The line with the one and not the other, if the one does not mean the other, too. */
function alone({ name, option }: Named, other: Named): readonly (readonly string[])[] {
  return option === other.option || option.alike?.includes(other.name) === true ? [] : [[name]];
}

function rowsOf(place: Place): Row[] {
  const letters = lettersOf(place);
  const plain = letters.filter(({ option }) => option.value === 'none').slice(0, 4);
  const valued = letters.filter(({ option }) => option.value === 'required');
  const own = (name: string, { names }: Option) =>
    [name, ...names].filter((one) => one.length > 2 && place.options.get(one)?.names === names);
  const pairs = plain.flatMap((one, at) => plain.slice(at + 1).map((other) => [one, other] as const));
  return [
    ...pairs.map(([one, other]): Row => {
      const [a, b] = [one.name, other.name];
      const flag = `${a}${b.charAt(1)}`;
      if (place.style === 'words') return { flag, written: [[flag]], others: [] };
      const long = own(b, other.option).map((name) => [name, a]);
      const written = [[flag], [`${b}${a.charAt(1)}`], [a, b], [b, a], ...long];
      return { flag, written, others: [...alone(one, other), ...alone(other, one)] };
    }),
    ...valued.map(({ name, option }): Row => {
      const value = valueOf(option);
      const flag = `${name}${value}`;
      // These tools read no value in the same word: the word alone is not understood.
      if (!readsAttached(place)) return { flag, written: [[flag]], others: [] };
      const [before] = plain.filter((one) => one.option !== option);
      const written = [
        [flag],
        [name, value],
        ...own(name, option).map((long) => [`${long}=${value}`]),
        ...(option.values === undefined ? [[`${flag}=y`], [name, `${value}=y`]] : []),
        ...(before === undefined ? [] : [[`${before.name}${name.charAt(1)}${value}`]]),
      ];
      const others = option.values === undefined ? [[`${name}y`], [name, 'y'], [`${flag}y`]] : [];
      return { flag, written, others };
    }),
  ];
}

const all = places.flatMap((place) => rowsOf(place).map((row) => ({ place, row })));

const lineOf = ({ before, behind }: Place, words: readonly string[]) => [...before, ...words, ...behind];

test('A-111 P7: a flag of several letters, or of a letter with its value, holds for each spelling', () => {
  const open = sampled(all, isLong ? all.length : 1500).flatMap(({ place, row: { flag, written } }) =>
    (['deny', 'ask'] as const).flatMap((action) => {
      const rule = oneRule(place.tool, { flags: [flag] }, action);
      const lines = written.map((words) => lineOf(place, words));
      return lines
        .filter((line) => !holds(rule, place.tool, line))
        .map((line) => `${action} ${flag}: ${place.tool} ${line.join(' ')}`);
    }),
  );
  expect(open).toEqual([]);
});

test('A-111 A-34: it does not hold if a part was not given, or another value', () => {
  const tools = new Set<string>();
  for (const { place, row } of sampled(all, isLong ? all.length : 1500)) {
    const rule = oneRule(place.tool, { flags: [row.flag] });
    const anything = oneRule(place.tool, { flags: ['--no-such-option'] });
    const understood = row.others
      .map((words) => lineOf(place, words))
      .filter((line) => !holds(anything, place.tool, line));
    const held = understood.filter((line) => holds(rule, place.tool, line));
    expect(held.map((line) => `${row.flag}: ${place.tool} ${line.join(' ')}`)).toEqual([]);
    if (understood.length > 0) tools.add(place.tool);
  }
  expect(tools.size).toBeGreaterThan(15);
});

test.each([
  ['ssh', '-oProxyCommand', '-oProxyCommand=x h|-o ProxyCommand=x h|-4oProxyCommand=x h|h -oProxyCommand=x'],
  [
    'git',
    '-ccore.fsmonitor',
    '-ccore.fsmonitor=x status|-c core.fsmonitor=x status|-c core.fsmonitor status',
  ],
  ['tar', '-xf', '-xf a|xf a|-x -f a|--extract --file=a|-vxfa'],
  ['kubectl', '-oyaml', 'get x -oyaml|get x -o yaml|get x --output=yaml|get x -o=yaml'],
  ['docker', '-it', 'run -it x|run -ti x|run -i -t x|run --interactive --tty x'],
  ['python3', '-mpip', '-mpip x|-m pip x|-Impip x'],
  ['sort', '-k1', '-k1 x|--key=1 x|-k 1'],
  ['make', '-j4', '-j4|-j 4|--jobs=4'],
  ['npm', '-gD', 'i -gD x|i -Dg x|i -g x -D|--g i --save-dev x'],
  ['npm', '--gD', 'i --gD x|i -gD x'],
  ['ssh', '-vv', '-vv h|-v -v h'],
])('A-111: flags of %s, %s, hold for %s', (tool, flag, lines) => {
  const rule = oneRule(tool, { flags: [flag] });
  expect(lines.split('|').filter((line) => !holds(rule, tool, line.split(' ')))).toEqual([]);
});

test.each([
  ['ssh', '-oProxyCommand', '-oProxyJump=x h'],
  ['docker', '-it', 'run -i x'],
  ['kubectl', '-oyaml', 'get x -ojson'],
  ['tar', '-xf', '-cf a x'],
  ['ssh', '-vv', '-v h'],
  ['git', '-ccore.fsmonitor', '-c core.pager=cat log'],
])('A-34: flags of %s, %s, do not hold for %s', (tool, flag, line) => {
  expect(holds(oneRule(tool, { flags: [flag] }), tool, line.split(' '))).toBe(false);
});

test('A-111: an option with its value before the sub-command holds in args, too', () => {
  const rule = oneRule('git', { args: compileArgs(['-ccore.fsmonitor=x', 'status']) });
  expect(holds(rule, 'git', ['-c', 'core.fsmonitor=x', 'status'])).toBe(true);
  expect(holds(rule, 'git', ['-c', 'core.pager=cat', 'status'])).toBe(false);
});

test.each([
  ['ssh', '-zz', 'deny', /"-zz" is no option of ssh/],
  ['go', '-fname', 'deny', /"-fname" is no option of go/],
  ['ls', '-la', 'deny', /"-la" is read as one name, because the options of ls are not known/],
  ['docker', '-it', 'allow', /"-it" is several options for docker/],
  ['docker', '-it', 'deny', undefined],
  ['ssh', '-oProxyCommand', 'deny', undefined],
  ['find', '-delete', 'deny', undefined],
  ['go', '-exec', 'deny', undefined],
])('A-111: policy check of %s with flags %s and %s says %s', (tool, flag, action, said) => {
  const text = `version: 1\ntools: { ${tool}: { strategy: mirror } }\nrules:\n  - { name: one, tools: [${tool}], flags: [${flag}], action: ${action} }\ncomplete: true\n`;
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join());
  const about = checkPolicy(result.policy).warnings.filter((line) => line.includes(`"${flag}"`));
  if (said === undefined) expect(about).toEqual([]);
  else expect(about).toEqual([expect.stringMatching(said)]);
});
