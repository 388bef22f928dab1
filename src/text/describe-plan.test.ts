import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, type Plan } from '../plan.ts';
import { planLines } from './describe-plan.ts';

const none = { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 };
const plain: Plan = {
  ...{ agent: 'coder', argv: ['npm', 'install'], env: ['LANG=C'], cwd: '/app', workspace: '/app' },
  ...{ uid: 1000, gid: 1000, umask: 0o22, strategy: 'mirror', mounts: [], network: 'none', limits: none },
  ...{ stdin: 'pipe', timeoutMs: 0, idleTimeoutMs: 0, policyHash: 'abc' },
};

function shown(plan: Partial<Plan>, how?: 'masked') {
  return planLines(canonicalJson({ ...plain, ...plan }), how);
}

const notesOf = (plan: Partial<Plan>) => shown(plan).flatMap(({ notes }) => notes);

const nasty = fc.array(
  fc.constantFrom('\u202e', '\u200b', 'a', '\u0430', ' ', '"', '\\', '\n', '\x1b', ','),
  {
    maxLength: 6,
  },
);
const words = fc.array(
  nasty.map((parts) => parts.join('')),
  { minLength: 1, maxLength: 4 },
);

test('A-47: two plans with other words have other lines, each of printable ASCII', () => {
  fc.assert(
    fc.property(words, words, (one, other) => {
      const [left, right] = [shown({ argv: one }), shown({ argv: other })];
      const texts = left.map(({ text }) => text);
      expect(texts.join('\n')).toMatch(/^[\x20-\x7e\n]*$/);
      expect(texts.join('\n').split('\n')).toHaveLength(left.length);
      const isSame = JSON.stringify(one) === JSON.stringify(other);
      expect(JSON.stringify(left) === JSON.stringify(right)).toBe(isSame);
    }),
  );
});

test('a plan without anything unusual has no notes', () => {
  expect([...notesOf({}), ...notesOf({ network: '' })]).toEqual([]);
});

test.each<readonly [string, Partial<Plan>]>([
  ['a character turns the direction', { argv: ['cat', 'gpj\u202e.exe'] }],
  ['a character is invisible', { argv: ['cat', 'a\u200bb'] }],
  ['a character may look like another one', { cwd: '/\u0430pp' }],
  ['a character controls a terminal', { env: ['A=\x1b[2J'] }],
  ['it looks like a secret', { argv: ['curl', '--token', 'abc'] }],
  ['it looks like a secret', { env: ['DB_PASSWORD=x'] }],
  ['it has a network', { network: 'bridge' }],
  [
    'it can reach every public address',
    { reach: { network: 'none', allow: [], routes: [], learns: { by: 'person:ann', id: '1f' } } },
  ],
  ['nobody could look into it', { operands: [{ path: 'build.sh', notInspected: 'it is a pipe' }] }],
  ['it may change while it runs', { operands: [{ path: 'a', digest: 'd', file: '/a', notHeld: 'shared' }] }],
])('it is noted that %s', (note, plan) => expect(notesOf(plan)).toEqual([note]));

test('A-139: what looks like a token is whole for who decides here, and left out elsewhere', () => {
  const plan = { argv: ['curl', '--token', 'hunter2'], env: ['DB_PASSWORD=hunter2'] };
  expect(JSON.stringify(shown(plan))).toContain('hunter2');
  const masked = shown(plan, 'masked');
  expect(JSON.stringify(masked)).not.toContain('hunter2');
  expect(masked.slice(0, 3).map(({ text }) => text)).toEqual([
    '"curl"',
    '"--token"',
    '"[masked: 7 characters]"',
  ]);
});
