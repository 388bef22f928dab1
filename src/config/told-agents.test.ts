import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkTold, formatTold, parseTold, toldPlaces } from './told-agents.ts';

const runs = process.env['CLAWRDEN_LONG'] === '1' ? 100_000 : 2_000;
const id = fc.integer({ min: -2, max: 2 ** 32 });
const pieces = fc.constantFrom('a', 'b9', '.', '..', '/', '-', '_', 'A', '\0', '\n', ' ', '~', '\u00e4', '');
const names = fc.oneof(
  fc.string(),
  fc.array(pieces, { maxLength: 70 }).map((all) => all.join('')),
);

test('P2: of whatever a gateway says, an agent is taken only with a name that is one step below the folder of the agents, and never with uid 0', () => {
  let taken = 0;
  const users = fc.array(fc.record({ uid: id, gid: id }), { maxLength: 3 });
  fc.assert(
    fc.property(names, users, (name, ids) => {
      const told = checkTold(name, ids);
      if (typeof told === 'string') return;
      taken += 1;
      const { agent, jail } = toldPlaces({ state: '/s' }, told);
      expect(agent.socket).toMatch(/^\/s\/agents\/[a-z0-9][^/\0]*\/socket\/warden\.sock$/);
      expect(jail).toBe(`/s/agents/${name}/bin`);
      expect(told.users.map(({ uid }) => uid)).not.toContain(0);
      expect(parseTold(formatTold([told]))).toEqual([told]);
    }),
    { numRuns: runs },
  );
  expect(taken).toBeGreaterThan(5);
});

test.each([
  '',
  '{}',
  '{"agents":[{"name":"../x","users":["1:1"]}]}',
  '{"agents":[{"name":"x","users":[]}]}',
  '{"agents":[{"name":"x","users":["0:1"]}]}',
  '{"agents":[],"more":1}',
])('a damaged file is not read: %s', (text) => expect(() => parseTold(text)).toThrow(/./));
