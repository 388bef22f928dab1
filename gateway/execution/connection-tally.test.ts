import { expect, test } from 'vitest';
import type { ConnectionRecord } from '../audit/connection-record.ts';
import { createConnectionTally } from './connection-tally.ts';

const record = (to: string, outcome: ConnectionRecord['outcome'] = 'closed'): ConnectionRecord => ({
  ...{ type: 'connection', execution: 'e', agent: 'a', network: 'n', to, route: '', address: '', outcome },
  ...{ text: '', up: 2, down: 3, ms: 1 },
});

test('connections to one place are one line, apart by how they ended', () => {
  const tally = createConnectionTally();
  for (const outcome of ['closed', 'closed', 'denied'] as const) tally.add(record('a.example:443', outcome));
  expect(JSON.parse(tally.told().connections)).toEqual([
    { to: 'a.example:443', route: '', outcome: 'closed', times: 2, up: 4, down: 6 },
    { to: 'a.example:443', route: '', outcome: 'denied', times: 1, up: 2, down: 3 },
  ]);
});

test('P20: of many places the rest is one line', () => {
  const tally = createConnectionTally();
  for (let at = 0; at < 1000; at += 1) tally.add(record(`n${at}.example:443`));
  tally.add(record('n0.example:443'));
  const places = JSON.parse(tally.told().connections) as { outcome: string; times: number }[];
  expect(places).toHaveLength(21);
  expect(places[0]).toMatchObject({ times: 2 });
  expect(places.at(-1)).toMatchObject({ outcome: 'other', times: 980 });
  expect(tally.told().connectionCount).toBe(1001);
});
