import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClawrdenError } from '../../../src/errors.ts';
import { ReplicaUnreachable } from '../../workspaces/faults.ts';
import { DockerHost } from '../hosts/docker-host.ts';
import { createSweeps } from '../hosts/sweeps.ts';
import { ghostlyEngine } from '../warm/waiting-ghost.fixture.ts';
import { idleMs, maxAgeMs, never, request, setUp } from './sessions.fixture.ts';
import { mostSessions } from './sessions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('commands that come at once share one start, one container and one slot; without them it holds none', async () => {
  const { enter, engines, running, sessions } = await setUp();
  const both = await Promise.all([enter(request('one')), enter(request('one'))]);
  expect(both[0].session).toBe(both[1].session);
  await Promise.all(both.map(({ init }) => init));
  expect(engines.flatMap(({ started }) => started).map(({ purpose }) => purpose.session)).toEqual([true]);
  expect(running()).toEqual([0, 1]);
  both[0].session.leave();
  expect(running()).toEqual([0, 1]);
  both[0].session.leave();
  await vi.advanceTimersByTimeAsync(0);
  expect(running()).toEqual([0, 0]);
  const again = await enter(request('one'));
  expect([again.session, running()]).toEqual([both[0].session, [0, 1]]);
  expect(sessions.list()).toMatchObject([{ agent: 'one', state: 'open', commands: 1 }]);
});

test('A-265 two agents, and two images, never share one', async () => {
  const { enter } = await setUp();
  const all = await Promise.all([request('one'), request('two'), request('one', 'image:1')].map(enter));
  expect(new Set(all.map(({ session }) => session.ghost?.containerId)).size).toBe(3);
});

test('a command waits for its own host when that is full, though another has room', async () => {
  const { enter, running } = await setUp(1);
  const { session } = await enter(request('one'));
  session.leave();
  const host = session.host!;
  const release = host.reserve({ agent: 'one', memoryBytes: 0, cpus: 0 }, 1);
  const waiting = await enter(request('one'));
  expect([waiting.session, running()]).toEqual([session, [0, 1]]);
  release();
  await enter(request('two'));
  await waiting.init;
  expect(host.running).toBe(1);
});

test('a start for which nobody waits any more is given up, and leaves nothing', async () => {
  const { sessions, did, running } = await setUp();
  const abort = new AbortController();
  const entering = sessions.of(request('one'), () => {}).enter(abort.signal, 1000);
  const ended = entering.catch((error: unknown) => (error as Error).message);
  abort.abort(new ClawrdenError('canceled', 'gone'));
  await vi.advanceTimersByTimeAsync(500);
  expect([await ended, sessions.list(), did(), running()]).toEqual(['gone', [], ['destroy'], [0, 0]]);
});

test('who waits for a start hears why there is none', async () => {
  const { enter, engines, sessions, running } = await setUp();
  for (const engine of engines)
    engine.startGhost = () => Promise.reject(new ClawrdenError('image-missing', 'not here'));
  await expect((await enter(request('one'))).init).rejects.toMatchObject({ code: 'image-missing' });
  expect([sessions.list(), running()]).toEqual([[], [0, 0]]);
});

test('an init that cannot be started ends the session, and so does the end of its container', async () => {
  const { enter, did, sessions } = await setUp();
  const first = await enter(request('one'));
  const execInit = () => Promise.reject(new ClawrdenError('host-lost', 'no more processes'));
  Object.assign(first.session.ghost!, { execInit });
  await expect((await enter(request('one'))).init).rejects.toMatchObject({ code: 'session-lost' });
  await vi.advanceTimersByTimeAsync(10);
  expect([did(), sessions.list()]).toEqual([['destroy'], []]);
  const second = await enter(request('one'));
  expect(second.session).not.toBe(first.session);
  second.session.ghost!.session.destroy();
  await vi.advanceTimersByTimeAsync(10);
  expect(second.session.over.reason).toMatchObject({ code: 'session-lost' });
});

test('without a command it ends after `session.idle`, unless its processes use a processor', async () => {
  const { enter, used, sessions, records } = await setUp();
  const { session } = await enter(request('one'));
  await vi.advanceTimersByTimeAsync(3 * idleMs);
  expect(sessions.list()).toHaveLength(1);
  session.leave();
  const work = setInterval(() => (used.ms += 20), 1000);
  await vi.advanceTimersByTimeAsync(3 * idleMs);
  expect(sessions.list()).toHaveLength(1);
  clearInterval(work);
  await vi.advanceTimersByTimeAsync(idleMs - 20_000);
  expect(sessions.list()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(sessions.list()).toEqual([]);
  expect(records).toMatchObject([
    { type: 'session', state: 'started', agent: 'one', by: '' },
    { type: 'session', state: 'ended', agent: 'one', reason: 'nothing used it' },
  ]);
});

test('A-494 P26: a wall clock that jumps neither ends a session nor keeps one, and what is shown of it follows', async () => {
  const { enter, sessions } = await setUp();
  const { session } = await enter(request('one'));
  session.leave();
  const jump = async (ms: number) => {
    vi.setSystemTime(Date.now() + ms);
    await vi.advanceTimersByTimeAsync(2_000);
  };
  await jump(10 * maxAgeMs);
  const [shown] = sessions.list();
  expect(Date.now() - shown!.usedAt).toBeLessThan(5_000);
  expect(Date.now() - shown!.since).toBeLessThan(5_000);
  await jump(-20 * maxAgeMs);
  expect(sessions.list()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(idleMs);
  expect(sessions.list()).toEqual([]);
});

test.each([
  ['as old as sessions may be', async () => void (await vi.advanceTimersByTimeAsync(maxAgeMs))],
  ['takes no more work', async (host: DockerHost) => host.drain()],
])('it takes no more commands, and ends with its last one, when it %s', async (_why, change) => {
  const { enter, did } = await setUp();
  const { session } = await enter(request('one'));
  await change(session.host!);
  await vi.advanceTimersByTimeAsync(1500);
  const next = await enter(request('one'));
  expect(next.session).not.toBe(session);
  expect([did(), session.over.aborted]).toEqual([[], false]);
  session.leave();
  await vi.advanceTimersByTimeAsync(10);
  expect(did()).toEqual(['destroy']);
});

test('A-491 P20: a session whose host is left out gives way to one on another host, once that has started', async () => {
  const { enter, sessions, hosts, engines, did } = await setUp();
  const { session } = await enter(request('one'));
  const at = hosts.indexOf(session.host!);
  const isLeftOut = (host: DockerHost) => host === hosts[at];
  const wish = {
    ...request('one'),
    isLeftOut,
    behindMs: (host: DockerHost) => (isLeftOut(host) ? 600_000 : 0),
  };
  const [own, other] = [engines[at]!, engines[1 - at]!];
  own.startGhost = () => Promise.reject(new ReplicaUnreachable('it is left out for 30 s'));
  const { startGhost } = other;
  other.startGhost = () => Promise.reject(new ClawrdenError('image-missing', 'not there'));
  await expect((await enter(wish)).init).rejects.toThrow('it is left out for 30 s');
  expect([session.isOpen, sessions.list().length]).toEqual([true, 1]);

  other.startGhost = startGhost;
  const next = await enter(wish);
  await next.init;
  expect(next.session.host).toBe(hosts[1 - at]);
  expect([session.isOpen, session.over.aborted, did()]).toEqual([false, false, []]);
  session.leave();
  await vi.advanceTimersByTimeAsync(10);
  expect(did()).toEqual(['destroy']);
  expect((await enter(request('one'))).session).toBe(next.session);
});

test('the session that was unused longest makes room for a fifth one; commands in all of them do not', async () => {
  const { enter, sessions } = await setUp();
  const all = [];
  for (let at = 1; at <= mostSessions; at++) all.push(await enter(request('one', `image:${at}`)));
  expect(() => sessions.of(request('one'), () => {})).toThrow('4 sessions already');
  all[2]!.session.leave();
  await vi.advanceTimersByTimeAsync(100);
  all[0]!.session.leave();
  await enter(request('one'));
  expect(all.map(({ session }) => session.over.aborted)).toEqual([false, false, true, false]);
});

test('what ends one agent’s sessions leaves the others, and a host that is lost ends its own', async () => {
  const { enter, sessions, hosts, running } = await setUp();
  const [one, two] = [await enter(request('one')), await enter(request('two'))];
  const [ending] = sessions.end((agent) => agent === 'one', 'a test');
  expect(await ending!.gone).toBe(true);
  await one.session.gone;
  expect([one.session.over.aborted, two.session.over.aborted]).toEqual([true, false]);
  for (const host of hosts) host.lose(new ClawrdenError('host-lost', 'lost'));
  await vi.advanceTimersByTimeAsync(10);
  expect([two.session.over.aborted, sessions.list(), running()]).toEqual([true, [], [0, 0]]);
  await two.session.gone;
});

test('when the gateway stops, it waits until all are gone', async () => {
  const { enter, sessions, did } = await setUp();
  await Promise.all(['one', 'two'].map((agent) => enter(request(agent))));
  await sessions.close();
  expect([did(), sessions.list()]).toEqual([['destroy', 'destroy'], []]);
});

test('A-374 P19: a session whose host did not remove it is named until that host is clean', async () => {
  const { sessions, enter, hosts, engines } = await setUp();
  const log = pino({ level: 'silent' });
  const { sweep } = createSweeps({ hosts, log });
  const { session, init } = await enter(request('one'));
  await init;
  const [at, host] = [hosts.indexOf(session.host!), session.host!];
  const before = Promise.withResolvers<number>();
  engines[at]!.removeStrays = () => before.promise;
  const began = sweep(host, never);
  await vi.advanceTimersByTimeAsync(10);
  host.lose(new ClawrdenError('host-lost', 'lost'));
  await vi.advanceTimersByTimeAsync(10);
  expect(sessions.list()).toEqual([]);
  const left = async (agent: string) => {
    const ending = sessions.end((each) => each === agent, 'a test');
    return Promise.all(ending.map(async ({ gone, ...named }) => ({ ...named, isGone: await gone })));
  };
  const unconfirmed = [{ agent: 'one', host: host.name, isGone: false }];
  expect(await left('one')).toEqual(unconfirmed);
  expect(await left('two')).toEqual([]);
  // A sweep that began while the session was there has spared it.
  before.resolve(0);
  expect(await began).toBe(true);
  expect(await left('one')).toEqual(unconfirmed);
  engines[at]!.removeStrays = async () => 1;
  await vi.advanceTimersByTimeAsync(10);
  expect(await sweep(host, never)).toBe(true);
  expect(await left('one')).toEqual([]);
});

test('A-492 P19: a session whose host did not remove it is named until its engine is clean, by whatever host', async () => {
  const { sessions, enter, hosts } = await setUp();
  const { session, init } = await enter(request('one'));
  await init;
  const former = session.host!;
  former.lose(new ClawrdenError('host-lost', 'lost'));
  const left = () => Promise.all(sessions.end(() => true, 'a test').map(({ gone }) => gone));
  const joinClean = async (engine: string) => {
    await vi.advanceTimersByTimeAsync(10);
    const host = new DockerHost({ ...former.config, engine }, ghostlyEngine('c'));
    host.cleanedAt = performance.now();
    hosts.push(host);
  };
  hosts.splice(hosts.indexOf(former), 1);
  await joinClean('unix:///another');
  expect(await left()).toEqual([false]);
  await joinClean(former.config.engine);
  expect(await left()).toEqual([]);
});

test('A-374 P19: a session that is still ending is named to who ends it again', async () => {
  const { sessions, enter, engines } = await setUp();
  const { session, init } = await enter(request('one'));
  await init;
  const removal = Promise.withResolvers<boolean>();
  for (const { started } of engines)
    for (const { ghost } of started) Object.assign(ghost, { destroy: () => removal.promise });
  void session.end('it was unused');
  await vi.advanceTimersByTimeAsync(0);
  const [again] = sessions.end(() => true, 'a kill');
  expect(again).toMatchObject({ agent: 'one' });
  removal.resolve(true);
  expect(await again!.gone).toBe(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(sessions.end(() => true, 'a kill')).toEqual([]);
});
