import { expect, test } from 'vitest';
import { inRounds } from './in-rounds.ts';

test('A-626 P10: no agent’s questions hide another’s in `watch`', () => {
  const rows = ['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'b2'].map((id) => ({ id, agent: id.charAt(0) }));
  expect(inRounds(rows, ({ agent }) => agent).map(({ id }) => id)).toEqual([
    'a1',
    'b1',
    'c1',
    'a2',
    'b2',
    'a3',
    'a4',
  ]);
  expect(inRounds([], String)).toEqual([]);
});
