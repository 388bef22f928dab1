import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { HostConfig } from '../../src/config/gateway-config.ts';
import { createCopyAhead } from './copy-ahead.ts';
import type { Visit } from './visit.ts';

test('P20: a relay that begins lane after lane has one copy ahead for each agent', async () => {
  const [begun, ended]: [string[], string[]] = [[], []];
  let settled = Promise.withResolvers<void>();
  const visit = (_host: unknown, agent: string): Visit => {
    begun.push(agent);
    const settle = () => settled.promise;
    return {
      settle,
      bringHome: () => Promise.resolve(undefined),
      exchange: settle,
      leaveIn: () => {},
      end: () => ended.push(agent),
    };
  };
  const parts = { workspaces: { visit, behindMs: () => 0 }, agents: () => new Map() };
  const ready = () => [{ name: 'one', labels: {} } as unknown as HostConfig];
  const log = pino({ level: 'silent' });
  const ahead = createCopyAhead({ ...parts, ready, log }, new AbortController().signal);
  for (let count = 0; count < 1000; count++) for (const agent of ['a', 'b']) ahead(agent);
  expect([begun, ended]).toEqual([['a', 'b'], []]);
  settled.reject(new Error('the home is gone'));
  await expect.poll(() => ended).toEqual(['a', 'b']);
  settled = Promise.withResolvers<void>();
  await expect.poll(() => (ahead('a'), begun)).toEqual(['a', 'b', 'a']);
});
