import { expect, test } from 'vitest';
import {
  ListAgentsResponse,
  WardenServiceService,
  WatchApprovalsResponse,
} from '../../src/gen/clawrden/v1/warden.ts';
import { startListedWarden } from './listed-warden.ts';

/** As docs and proto promise, and the message's own frame. */
const mostBytes = 512 * 1024 + 1024;

test('A-79: reports of the largest size are cut, and hide no other agent', async () => {
  await using warden = await startListedWarden();
  const long = '\u{1f600}'.repeat(256 * 1024);
  const tools = Array.from({ length: 10_000 }, (_, index) => `tool-${index}`);
  const view = { relay: 'r', online: true, containerRunning: true, running: 0, pending: 0, grants: 0 };
  warden.agents = Array.from({ length: 40 }, (_, index) => ({
    ...view,
    name: `agent-${index}`,
    tools: [...tools, long],
    problem: long,
  }));
  const names: string[] = [];
  let pageToken = '';
  do {
    const page = await warden.client.call(WardenServiceService.listAgents, { pageToken });
    expect(ListAgentsResponse.encode(page).finish().length).toBeLessThanOrEqual(mostBytes);
    names.push(...page.agents.map(({ name }) => name));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(names).toEqual(warden.agents.map(({ name }) => name).sort());
});

test('A-79: a watcher is told what comes and goes, each once, in bounded messages; a slow one is told no more than differs', async () => {
  await using warden = await startListedWarden();
  const large = '\u0001'.repeat(5000);
  for (let number = 0; number < 150; number += 1)
    await warden.ask('flooder', ['t', large, `${number}`], large);
  const told: string[] = [];
  const waiting = new Set<string>();
  let [largest, messages] = [0, 0];
  const stream = warden.client.watchApprovals();
  stream.on('error', () => {});
  stream.on('data', (message: WatchApprovalsResponse) => {
    messages += 1;
    largest = Math.max(largest, WatchApprovalsResponse.encode(message).finish().length);
    for (const id of message.gone) waiting.delete(id);
    for (const { id, plan } of message.came) {
      expect(plan).toBe('');
      waiting.add(id);
      told.push(id);
    }
  });
  await expect.poll(() => waiting.size).toBe(150);
  const before = messages;
  stream.pause();
  // Questions that come and go while it does not read.
  for (let number = 0; number < 300; number += 1) {
    await warden.ask('brief', ['t', `${number}`], '/');
    const brief = warden
      .approvals()
      .pending()
      .find(({ agent }) => agent === 'brief');
    await warden.approvals().resolve(brief?.id ?? '', { ...no, planHash: brief?.planHash ?? '' });
  }
  await warden.ask('last', ['t'], '/');
  stream.resume();
  const last = warden.approvals().pending().at(-1)?.id ?? '';
  await expect.poll(() => waiting.has(last)).toBe(true);
  expect([...waiting].sort()).toEqual(
    warden
      .approvals()
      .pending()
      .map(({ id }) => id)
      .sort(),
  );
  expect(new Set(told).size).toBe(told.length);
  expect(largest).toBeLessThanOrEqual(mostBytes + 64 * 1024);
  expect(messages - before).toBeLessThan(100);
  stream.cancel();
});

const no = { verdict: 'denied', by: 'person:admin', via: 'test', reason: '' } as const;
