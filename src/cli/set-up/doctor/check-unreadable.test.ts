import { expect, test } from 'vitest';
import type { GetWorkspaceResponse } from '../../../gen/clawrden/v1/warden.ts';
import { judgeUnreadable } from './check-unreadable.ts';

const home = (...skipped: [string, string][]): GetWorkspaceResponse =>
  ({ home: { skipped: skipped.map(([path, why]) => ({ path: Buffer.from(path), why })) } }) as never;

test('12: doctor names what the agent may not read, and how much more there is', () => {
  const closed = ['a', 'b\u001b[31m', 'c', 'd', 'e'].map((path): [string, string] => [path, 'unreadable']);
  const [found] = judgeUnreadable('coder', home(...closed, ['pipe', 'special']));
  expect(found).toMatchObject({ check: 'workspace of coder', level: 'warning' });
  expect(found?.text).toMatch(/may not read a, b\S+31m, c and 2 more:/);
  expect(found?.text).not.toContain('\u001b');
});

test('and says nothing of a home that can be read, or that nobody keeps', () => {
  expect(judgeUnreadable('coder', home(['pipe', 'special']))).toEqual([]);
  expect(judgeUnreadable('coder', {} as never)).toEqual([]);
});
