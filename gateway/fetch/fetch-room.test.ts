import { expect, test } from 'vitest';
import { createFetchRoom } from './fetch-room.ts';

const never = new AbortController().signal;

test('A-600 P20: agents that keep all their pages leave room for the first one of another', async () => {
  const room = createFetchRoom();
  const entered: string[] = [];
  const enter = (agent: string) =>
    room.enter(agent, never).then((leave) => {
      entered.push(agent);
      return leave;
    });
  for (let agent = 0; agent < 13; agent += 1) for (let page = 0; page < 4; page += 1) void enter(`m${agent}`);
  await new Promise(setImmediate);
  // Six have all that one may have, and seven have one each.
  expect(entered.length).toBe(31);
  const leave = await enter('honest');
  expect(entered.at(-1)).toBe('honest');
  const second = enter('honest');
  await new Promise(setImmediate);
  expect(entered.filter((agent) => agent === 'honest')).toHaveLength(1);
  leave();
  void second;
});

test('an agent has four pages at once, and one that waits leaves by its signal', async () => {
  const room = createFetchRoom();
  const leaves = await Promise.all(Array.from({ length: 4 }, () => room.enter('coder', never)));
  await expect(room.enter('coder', AbortSignal.timeout(20))).rejects.toThrow('timeout');
  const fifth = room.enter('coder', never);
  leaves[0]?.();
  expect(await fifth).toBeTypeOf('function');
});
