import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { leavesOf, type Resources } from '../arguments/tools/grammar.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Action, Policy } from '../policy.ts';
import { decide } from './decide.ts';

const parsed = new Map<string, Policy>();

function load(text: string): Policy {
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

/** What becomes of a line where all of kubectl is allowed, but for one rule. */
function actionOf(about: readonly string[], action: Action, args: readonly string[]): Action {
  const words = about.map((word) => `"${word}"`).join(', ');
  const text = `version: 1\ntools: { kubectl: { strategy: mirror } }\nrules:\n  - { name: all, tools: [kubectl], action: allow }\n  - { name: one, tools: [kubectl], args: [${words}], action: ${action} }\ncomplete: true\n`;
  const policy = parsed.get(text) ?? load(text);
  parsed.set(text, policy);
  return decide(policy, { agent: 'a', tool: 'kubectl', args, uid: 1, gid: 1, cwd: '/app' }).action;
}

const commands = leavesOf(knownTools.get('kubectl')?.subcommands).filter(({ resources }) => resources);
const { names, categories } = commands[0]!.resources as Resources;
const kinds = [...new Set(names.values())];

const command = fc.constantFrom(...commands);
const kind = fc.constantFrom(...kinds);
const wordOf = (same: readonly string[]) => fc.constantFrom(...same);
const group = fc.constantFrom('', '.', '.v1', '.v1.', '.apps', '.v1.apps');
const capitals = fc.boolean();
const options = fc.subarray(['-n=x', '-oyaml', '--selector=a=b']);

/** One way to write a kind, with the words that follow. */
const written = fc
  .record({ named: kind, other: kind, group, capitals, form: fc.integer({ min: 0, max: 5 }) })
  .chain(({ named, other, group: end, capitals: isLoud, form }) =>
    fc.tuple(wordOf(named), wordOf(other)).map(([word, second]) => {
      const one = `${isLoud ? word.toUpperCase() : word}${end}`;
      const forms = [
        [one],
        [one, 'x', 'y'],
        [`${one},${second}`],
        [`${second},${one}`, 'x'],
        [`${one}/x`],
        [`${second}/y`, `${one}/x`],
      ];
      return { named, operands: forms[form] ?? [] };
    }),
  );

const runs = process.env['CLAWRDEN_LONG'] === '1' ? 10_000 : 400;

describe('A-77 P7: a resource by any of its names', () => {
  test('evades neither a deny nor an ask', () => {
    fc.assert(
      fc.property(
        command,
        written,
        fc.nat(),
        capitals,
        options,
        (one, { named, operands }, at, asks, more) => {
          const said = named[at % named.length] ?? '';
          const action = asks ? 'ask' : 'deny';
          const [words = []] = one.spellings;
          expect(actionOf([...words, said, '**'], action, [...words, ...more, ...operands])).toBe(action);
        },
      ),
      { numRuns: runs },
    );
  });

  test('nor a rule about one of them by its name', () => {
    fc.assert(
      fc.property(kind, kind, fc.nat(), fc.nat(), (same, other, at, from) => {
        const [said = '', word = ''] = [same[at % same.length], same[from % same.length]];
        expect(actionOf(['delete', said, 'prod'], 'deny', ['delete', `${word}/prod`])).toBe('deny');
        expect(actionOf(['delete', said, 'prod'], 'deny', ['delete', word.toUpperCase(), 'prod'])).toBe(
          'deny',
        );
        expect(
          actionOf(['delete', said, '**', 'prod', '**'], 'deny', ['delete', `${word}/x`, `${word}/prod`]),
        ).toBe('deny');
        expect(actionOf(['delete', said, 'prod'], 'deny', ['delete', `${word}/dev`])).toBe('allow');
        if (other !== same)
          expect(actionOf(['delete', said, 'prod'], 'deny', ['delete', `${other[0]}/prod`])).toBe('allow');
      }),
      { numRuns: runs / 4 },
    );
  });

  test('leaves lines about other kinds alone, and is no name for a rule that allows', () => {
    fc.assert(
      fc.property(command, kind, written, (one, other, { named, operands }) => {
        const [words = []] = one.spellings;
        const isOther = !operands.some((operand) =>
          operand.split(/[,/]/).some((word) => other.includes(word.toLowerCase().split('.')[0] ?? '')),
        );
        const line = [...words, ...operands];
        if (isOther) expect(actionOf([...words, other[0] ?? '', '**'], 'deny', line)).toBe('allow');
        if (named[0] !== operands[0] && !operands.includes(other[0] ?? ''))
          expect(isAllowedBy([...words, other[0] ?? '', '**'], line)).toBe(false);
      }),
      { numRuns: runs / 4 },
    );
  });

  test.each([...categories])('%s stands for all of its kinds', (word, some) => {
    const open = some.filter(
      (one) => actionOf(['delete', one, '**'], 'deny', ['delete', word, '--all']) !== 'deny',
    );
    expect(open).toEqual([]);
    expect(actionOf(['delete', 'secrets', '**'], 'deny', ['delete', word])).toBe('allow');
    expect(some.every((one) => names.has(one))).toBe(true);
  });

  test.each([
    ['get secrets', 'describe secret/x'],
    ['get secrets', 'label SECRET x a=b -o yaml'],
    ['get secrets', 'get --raw /api/v1/namespaces/x/secret%73/y'],
    ['label pods web a=b', 'label po/web a=b'],
    ['label pods web', 'label po/web a.b/c=d/e'],
    ['annotate configmaps x a.b/c-', 'annotate cm/x a.b/c-'],
    ['set image deployments web a=b/c', 'set image deploy/web a=b/c'],
    ['get certs', 'get pods,CERTS.v1.cert-manager.io'],
    ['delete namespaces', `delete pod/x ${'cm/y '.repeat(200)}ns/prod`],
    ['delete namespaces', `delete ${Array.from({ length: 200 }, (_, index) => `k${index}`).join()},ns`],
    ['events', 'get pods,ev'],
    ['create deployment', 'create deploy x --image y'],
    ['edit nodes', 'patch no/x -p y'],
  ])('%s is also %s', (said, line) => {
    expect(actionOf([...said.split(' '), '**'], 'deny', line.split(' '))).toBe('deny');
  });

  test.each([
    ['get secrets', 'get pods secrets'],
    ['get secrets', 'get --raw /healthz'],
    ['get pods', 'get podtemplates'],
    ['get secrets', 'get'],
  ])('%s is not %s', (said, line) => {
    expect(actionOf([...said.split(' '), '**'], 'deny', line.split(' '))).toBe('allow');
  });
});

function isAllowedBy(about: readonly string[], args: readonly string[]): boolean {
  const words = about.map((word) => `"${word}"`).join(', ');
  const text = `version: 1\ntools: { kubectl: { strategy: mirror } }\nrules:\n  - { name: one, tools: [kubectl], args: [${words}], action: allow }\ncomplete: true\n`;
  const policy = parsed.get(text) ?? load(text);
  parsed.set(text, policy);
  return (
    decide(policy, { agent: 'a', tool: 'kubectl', args, uid: 1, gid: 1, cwd: '/app' }).action === 'allow'
  );
}

test.each(['pod/a=b', 'pod/x-', 'a.b/c=d', 'pod/x'])(
  'A-256 P7: a kind that is denied is denied behind %s, too',
  (first) => {
    const about = ['get|describe|delete', 'secrets', '**'];
    for (const sub of ['get', 'describe', 'delete']) {
      expect([sub, actionOf(about, 'deny', [sub, first, 'secret/y'])]).toEqual([sub, 'deny']);
      expect([sub, actionOf(about, 'deny', [sub, first])]).toEqual([sub, 'allow']);
    }
    const many = Array.from({ length: 150 }, (_, at) => `a.b/c${at}=d`);
    expect(actionOf(about, 'deny', ['get', first, ...many, 'secret/y'])).toBe('deny');
  },
);
