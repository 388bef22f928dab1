import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallTurns } from './call-turns.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const perTurn = 16;

interface Peer {
  readonly name: number;
  readonly perTurn: number;
  open: number;
  most: number;
  readonly mayPass: () => boolean;
}

function peer(name: number, most = Number.POSITIVE_INFINITY): Peer {
  const made: Peer = { name, perTurn, open: 0, most, mayPass: () => made.open < made.most };
  return made;
}

function setup(longestMs = 60_000) {
  const turns = new CallTurns<Peer>(longestMs, (run) => run);
  const passed: string[] = [];
  const refused: string[] = [];
  const bring = (from: Peer, count: number) => {
    const leave: (() => void)[] = [];
    for (let n = 0; n < count; n++) {
      const call = {
        since: performance.now(),
        pass: () => {
          from.open += 1;
          passed.push(`${from.name}/${n}`);
        },
        refuse: (why: string) => refused.push(why),
      };
      leave.push(turns.add(from, call));
    }
    return leave;
  };
  return { turns, passed, refused, bring };
}

test('P20: who brings thousands of calls at once holds up nobody else: each has its turns, and keeps its order', async () => {
  const counts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(counts, async (calls) => {
      const { passed, bring } = setup();
      for (const [name, count] of calls.entries()) bring(peer(name), count);
      for (let turns = 1; passed.length < calls.reduce((sum, count) => sum + count, 0); turns++) {
        for (const [name, count] of calls.entries()) {
          const own = passed.filter((one) => one.startsWith(`${name}/`));
          expect(own).toEqual(
            Array.from({ length: Math.min(count, turns * perTurn) }, (_, n) => `${name}/${n}`),
          );
        }
        await turn();
      }
    }),
    { numRuns: long ? 500 : 25 },
  );
});

test('P20: if no call of a peer may be handed on, its calls wait and the others do not; they go on when it may, or are refused', async () => {
  const { turns, passed, refused, bring } = setup(0);
  const [full, other] = [peer(0, 10), peer(1)];
  bring(full, 30);
  bring(other, 40);
  for (let n = 0; n < 5; n++) await turn();
  expect([full.open, other.open, passed.length]).toEqual([10, 40, 50]);
  full.most = 12;
  turns.goOn();
  await turn();
  expect(full.open).toBe(12);
  turns.tidy();
  expect(refused).toHaveLength(18);
  expect(refused[0]).toMatch(/^it waited 0 s/);
});

test('P20: a call that waits in a line that moves is not refused, however slow this process is', async () => {
  const longestMs = 50;
  const { turns, passed, refused, bring } = setup(longestMs);
  const slow = peer(0, 0);
  bring(slow, 20);
  await sleep(2 * longestMs);
  slow.most = 1;
  turns.goOn();
  await turn();
  turns.tidy();
  expect([passed, refused]).toEqual([['0/0'], []]);
  await sleep(2 * longestMs);
  turns.tidy();
  expect(refused).toHaveLength(19);
});

test('A-422 P21: a call that is closed leaves the line, also if the line moves on for long', async () => {
  const { turns, passed, refused, bring } = setup(0);
  const full = peer(0, 0);
  const leave = bring(full, 20);
  for (const one of leave.slice(0, 18)) one();
  full.most = 1;
  turns.goOn();
  await turn();
  expect(passed).toEqual(['0/18']);
  turns.tidy();
  for (const one of leave) one();
  expect(refused).toHaveLength(1);
});
