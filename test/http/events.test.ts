import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { httpPace } from '../../gateway/http/node-server.ts';
import type { Role, Scope } from '../../gateway/ports/principal.ts';
import { ApiError, connect, type WatchedEvent, type WatchOptions } from '../../src/http-api/client.ts';
import { holdPieces } from '../fixtures/held-pieces.ts';
import { described } from './described.ts';
import { recordOf, startWatched, type WatchedSite, wordOf } from './watched.ts';

const api = described();

interface Reading {
  readonly events: WatchedEvent[];
  readonly words: () => string[];
  readonly over: Promise<unknown>;
  readonly leave: () => Promise<unknown>;
}

/** Reads along, from the moment when the gateway has answered. */
async function read(
  { door }: WatchedSite,
  token: string,
  query: { types?: string; agent?: string } = {},
  options: WatchOptions = {},
): Promise<Reading> {
  const leave = new AbortController();
  const asked = Promise.withResolvers<void>();
  const client = connect({
    url: door.url,
    token,
    fetch: async (...args) => {
      const response = await fetch(...args);
      asked.resolve();
      return response;
    },
  });
  const events: WatchedEvent[] = [];
  const reading = async () => {
    for await (const event of client.watch(query, { ...options, signal: leave.signal })) {
      const { id, ...data } = event;
      expect(id).not.toBe('');
      expect(api.faultsOf('events', 'text/event-stream', data)).toEqual([]);
      events.push(event);
    }
  };
  const over = reading().catch((error: unknown) => error);
  await Promise.race([asked.promise, over]);
  return {
    ...{ events, over, words: () => events.map(wordOf) },
    leave: () => {
      leave.abort();
      return over;
    },
  };
}

async function siteOf(names: Record<string, string>, options: Parameters<typeof startWatched>[0] = {}) {
  const site = await startWatched(options);
  for (const [name, team] of Object.entries(names)) site.agents.set(name, { labels: { team }, problem: '' });
  return site;
}

test('what changes is told as it is then: executions, questions, agents; each with its id', async () => {
  await using site = await siteOf({ coder: 'web' });
  const reading = await read(site, site.door.token('viewer'));
  site.execution(recordOf('coder', 1, { state: 'queued', plan: 'secret' }));
  site.execution(recordOf('coder', 1));
  site.ask('coder', 'q1');
  await expect.poll(reading.words).toEqual(['execution 0001 running', 'approval q1']);
  expect(JSON.stringify(reading.events)).not.toContain('secret');
  site.answer('q1');
  site.agents.set('coder', { labels: { team: 'web' }, problem: 'its relay is not connected' });
  site.execution(recordOf('coder', 1, { state: 'ended', argv: ['a\n\nevent: x\ndata: {}\n\n', '\u2028'] }));
  await expect
    .poll(() => reading.words().slice(2).toSorted())
    .toEqual(['agent coder its relay is not connected', 'approval-gone q1', 'execution 0001 ended']);
  site.agents.delete('coder');
  await expect.poll(() => reading.words().at(-1)).toBe('agent-gone');
  expect(await reading.leave()).toMatchObject({ name: 'AbortError' });
});

test('types and agent narrow what is told; what is not known is refused', async () => {
  await using site = await siteOf({ a: 'web', b: 'web' });
  const token = site.door.token('viewer');
  const [narrow, all] = [
    await read(site, token, { types: 'approval,agent', agent: 'a' }),
    await read(site, token),
  ];
  for (const [at, agent] of ['a', 'b'].entries()) {
    site.execution(recordOf(agent, at));
    site.ask(agent, `q-${agent}`);
  }
  await expect.poll(() => all.events.length).toBe(4);
  expect(narrow.words()).toEqual(['approval q-a']);
  for (const query of ['types=audit', 'types=', 'types=agent,', 'x=1', 'agent=a&agent=b'])
    expect([query, (await site.door.fetch(`/api/v1/events?${query}`, { token })).status]).toEqual([
      query,
      400,
    ]);
  await Promise.all([narrow.leave(), all.leave()]);
});

const step = fc.constantFrom('execution', 'ask', 'answer', 'leave', 'wait');

test('a reader that is cut and comes back with the last id has no gap and nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      await using site = await siteOf({ coder: 'web' });
      const token = site.door.token('viewer');
      const whole = await read(site, token, { types: 'execution,approval' });
      let part = await read(site, token, { types: 'execution,approval' });
      const told: WatchedEvent[] = [];
      let after = '';
      for (const [at, each] of steps.entries()) {
        if (each === 'execution') site.execution(recordOf('coder', at));
        if (each === 'ask') site.ask('coder', `q${at % 3}`);
        if (each === 'answer') site.answer(`q${at % 3}`);
        if (each === 'wait') await new Promise((resolve) => setTimeout(resolve, 15));
        if (each !== 'leave') continue;
        await part.leave();
        told.push(...part.events);
        after = told.at(-1)?.id ?? after;
        part = await read(site, token, { types: 'execution,approval' }, after === '' ? {} : { after });
        // It began anew, without an id: what came meanwhile is not its.
        if (after === '') await Promise.all([whole.leave(), part.leave()]);
        if (after === '') return;
      }
      site.ask('coder', 'last');
      for (const each of [part, whole]) await expect.poll(each.words).toContain('approval last');
      // What is told together with the last question may stand behind it; behind this stands nothing.
      site.execution(recordOf('coder', 100));
      for (const each of [part, whole])
        await expect.poll(() => each.words().at(-1)).toBe('execution 0100 running');
      expect([...told, ...part.events]).toEqual(whole.events);
      await Promise.all([whole.leave(), part.leave()]);
    }),
    { numRuns: process.env['CLAWRDEN_LONG'] ? 200 : 8 },
  );
}, 240_000);

test('an id that says too little is told so: of another start, forged, or of what is kept no more', async () => {
  await using other = await siteOf({ coder: 'web' });
  await using site = await siteOf({ coder: 'web' }, { kept: { events: 10 } });
  const token = site.door.token('viewer');
  const first = await read(site, token);
  site.execution(recordOf('coder', 1));
  await expect.poll(() => first.events.length).toBe(1);
  const [{ id } = { id: '' }] = first.events;
  const foreign = await read(other, other.door.token('viewer'));
  other.execution(recordOf('coder', 1));
  await expect.poll(() => foreign.events.length).toBe(1);
  for (const after of [foreign.events[0]?.id ?? '', 'AAAA', '1', '["events",1]']) {
    const reset = await read(site, token, {}, { after });
    await expect.poll(reset.words).toEqual(['reset']);
    await reset.leave();
  }
  const whole = await read(site, token, {}, { after: id });
  for (let at = 0; at < 4; at += 1) {
    for (let row = 0; row < 5; row += 1) site.execution(recordOf('coder', 100 + 5 * at + row));
    await expect.poll(() => whole.events.length).toBe(5 * (at + 1));
  }
  const late = await read(site, token, {}, { after: id });
  await expect.poll(() => late.words()[0]).toBe('reset');
  site.execution(recordOf('coder', 999));
  await expect.poll(() => late.words().at(-1)).toBe('execution 0999 running');
  await Promise.all([first, foreign, whole, late].map((each) => each.leave()));
});

/** What a caller hears while both fleets work, or its own alone. */
async function heard(names: Record<string, string>, role: Role, more: { scope?: Scope; name?: string }) {
  await using site = await siteOf(names);
  const reading = await read(site, site.door.token(role, more));
  for (const [at, agent] of ['web-1', 'db-1', '', 'web-2'].entries()) {
    if (agent !== '' && names[agent] === undefined) continue;
    site.execution(recordOf(agent, at, { caller: `program:${agent === 'web-2' ? 'ci' : 'other'}` }));
    site.ask(agent, `q-${agent}`);
    const known = site.agents.get(agent);
    if (known !== undefined) known.problem = 'changed';
  }
  await new Promise((resolve) => setTimeout(resolve, 900));
  await reading.leave();
  return reading.words().toSorted();
}

test('P2 P3: a scope hears of its agents only, the same with and without another fleet', async () => {
  const [own, both] = [
    { 'web-1': 'web', 'web-2': 'web' },
    { 'web-1': 'web', 'db-1': 'db', 'web-2': 'web' },
  ];
  const scope = { team: 'web' };
  const ci = { scope, name: 'ci' };
  const [viewer, viewerOfBoth, program, programOfBoth, ofAll, ofOwn] = await Promise.all([
    heard(own, 'viewer', { scope }),
    heard(both, 'viewer', { scope }),
    heard(own, 'orchestrator', ci),
    heard(both, 'orchestrator', ci),
    heard(both, 'viewer', {}),
    heard(both, 'orchestrator', { name: 'ci' }),
  ]);
  expect(viewer).toHaveLength(6);
  expect(viewerOfBoth).toEqual(viewer);
  expect(program).toEqual(['agent web-1 changed', 'agent web-2 changed', 'execution 0003 running']);
  expect(programOfBoth).toEqual(program);
  expect([ofAll?.length, ofOwn?.length]).toEqual([11, 4]);
});

test('an agent that joins or leaves a scope is told by a reset', async () => {
  await using site = await siteOf({ a: 'web', b: 'db' });
  const reading = await read(site, site.door.token('viewer', { scope: { team: 'web' } }));
  site.agents.set('a', { labels: { team: 'db' }, problem: '' });
  await expect.poll(reading.words).toEqual(['reset']);
  site.execution(recordOf('a', 1));
  site.agents.set('b', { labels: { team: 'web' }, problem: '' });
  await expect.poll(reading.words).toEqual(['reset', 'reset']);
  site.execution(recordOf('b', 2));
  await expect.poll(() => reading.words().at(-1)).toBe('execution 0002 running');
  expect(reading.words()).toHaveLength(3);
  await reading.leave();
});

test('A-551 P20: of all readers one is told in a turn, and of one in a turn it is asked which agents its scope holds', async () => {
  const pieces = holdPieces();
  await using site = await siteOf({ a: 'web' }, { nextPiece: pieces.nextPiece });
  const token = site.door.token('viewer', { scope: { team: 'web' } });
  const types = { types: 'execution' };
  const readings = [await read(site, token, types), await read(site, token, types)];
  const told = () => readings.reduce((sum, { events }) => sum + events.length, 0);
  site.execution(recordOf('a', 1));
  // Each waits to be told, asks again once it was, and waits for what is asked each second.
  for (const count of [1, 2]) {
    await pieces.giveOne(4);
    await expect.poll(told).toBe(count);
  }
  pieces.giveAll();
  for (const { leave } of readings) await leave();
});

test('A-56 P6: a stream ends within 5 s when its token does, and says why', async () => {
  await using site = await siteOf({ coder: 'web' });
  const token = site.door.token('viewer');
  const answer = await site.door.fetch('/api/v1/events', { token });
  const text = answer.text();
  const reading = await read(site, token);
  site.door.remove(token);
  const since = performance.now();
  expect(await text).toContain('event: end\ndata: {"type":"end"');
  expect(await reading.over).toBeInstanceOf(ApiError);
  expect(performance.now() - since).toBeLessThan(5000);
});

test('A-59 P20 P22: who reads nothing costs only itself, holds little, and is ended', async () => {
  await using site = await siteOf({ coder: 'web' }, { pace: { ...httpPace, stalledMs: 1500 } });
  const token = site.door.token('viewer');
  const stalled = Array.from({ length: 20 }, () => connectSocket(site.door.port, '127.0.0.1'));
  let ended = 0;
  for (const socket of stalled) {
    await once(socket, 'connect');
    socket.pause();
    socket.once('close', () => {
      ended += 1;
    });
    socket.write(
      `GET /api/v1/events HTTP/1.1\r\nhost: 127.0.0.1:${site.door.port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
    );
  }
  const reading = await read(site, token);
  const argv = ['x'.repeat(4000)];
  const before = process.memoryUsage.rss();
  const makeEvents = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      for (let at = 0; at < 500; at += 1) site.execution(recordOf('coder', round * 500 + at, { argv }));
      await expect.poll(() => reading.events.length).toBe((round + 1) * 500);
    }
  };
  await makeEvents(6);
  expect(reading.words()).not.toContain('reset');
  expect(process.memoryUsage.rss() - before).toBeLessThan(300 * 1024 * 1024);
  // A socket that is paused does not see its end, and one that reads again before it is ended is not.
  await sleep(3000);
  for (const socket of stalled) socket.resume();
  await expect.poll(() => ended).toBe(stalled.length);
  await reading.leave();
});
