import { expect, test } from 'vitest';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { agentViews } from './agent-views.ts';

function agent(name: string): AgentConfig {
  return { name, relay: 'r', users: [{ uid: 1, gid: 1 }], labels: {}, cwd: '/app', hosts: {} };
}

test('A-412 P20: what runs, waits and is granted is listed once, however many agents there are', () => {
  let lists = 0;
  const rowsOf = (counts: Readonly<Record<string, number>>) => () => {
    lists += 1;
    return Object.entries(counts).flatMap(([name, count]) =>
      Array.from({ length: count }, () => ({ agent: name })),
    );
  };
  const agents = new Map(['a', 'b', 'c'].map((name) => [name, agent(name)]));
  const views = agentViews({
    agents: () => agents,
    ledger: { running: rowsOf({ a: 2, '': 1 }) },
    approvals: { pending: rowsOf({ b: 3, gone: 1 }) },
    grants: { list: rowsOf({ a: 1, c: 4 }) },
    relays: { report: () => undefined, refusing: () => new Map() },
    states: { stopOf: () => undefined },
  });
  expect(views.map(({ name, running, pending, grants }) => [name, running, pending, grants])).toEqual([
    ['a', 2, 0, 1],
    ['b', 0, 3, 0],
    ['c', 0, 0, 4],
  ]);
  expect(lists).toBe(3);
});
