import { expect, onTestFinished, test, vi } from 'vitest';
import { ClawrdenError } from '../../../src/errors.ts';
import { mayTake, whyNone } from '../placement/candidates.ts';
import { Scheduler } from '../placement/scheduler.ts';
import { ghostlyEngine } from '../warm/waiting-ghost.fixture.ts';
import { hostOver, hostWith, reference, requestFor, signal } from './image-host.fixture.ts';
import { createImagePulls } from './image-pulls.ts';
import { resolveImage } from './images.ts';

test('A-370: what a host says of an image runs only on hosts that say the same of it', async () => {
  const [liar, honest, third] = [hostWith('a', 'lie'), hostWith('b', 'true'), hostWith('c', 'true')];
  const hosts = [liar, honest, third];
  const takers = async (envHash: string | undefined) => {
    const request = requestFor(envHash);
    const learned = await Promise.all(hosts.map((host) => host.images.learn(request.shape.image)));
    const taking = hosts.map((host) => mayTake(host, request));
    expect(learned).toEqual(taking);
    return taking;
  };
  expect((await resolveImage(hosts, reference, {}, signal)).envHash).toBe('lie');
  expect(await takers('lie')).toEqual([true, false, false]);
  expect(await takers('true')).toEqual([false, true, true]);
  expect(await takers(undefined)).toEqual([true, true, true]);
  expect(whyNone([honest], requestFor('lie')).code).toBe('image-missing');
  // Two plans of one shape share no container.
  expect(requestFor('lie').key).not.toBe(requestFor('true').key);
});

test('A-370: a host says nothing of an image for a command that may not run there', async () => {
  const [liar, honest] = [hostWith('a', 'lie'), hostWith('b', 'true', { zone: 'b' })];
  const hosts = [liar, honest];
  const zoned = { zone: 'b' };
  const obtain = createImagePulls(hosts, 1000);
  const wish = { labels: zoned, onProgress: () => {}, signal };
  expect((await obtain(reference, wish)).envHash).toBe('true');
  expect((await resolveImage(hosts, reference, zoned, signal)).envHash).toBe('true');
  expect((await resolveImage(hosts, reference, {}, signal)).envHash).toBe('lie');
  liar.drain();
  expect((await resolveImage(hosts, reference, {}, signal)).envHash).toBe('true');
  // If none may take it now, one that is up still says what is meant.
  honest.drain();
  expect((await resolveImage(hosts, reference, zoned, signal)).envHash).toBe('lie');
});

test('A-393: a host that does not answer about an image is asked last, and no canceled command waits for it', async () => {
  const engine = ghostlyEngine('a');
  const silent = hostOver(engine, 'a', 'late');
  const hosts = [silent, hostWith('b', 'true')];
  const { promise: never, reject } = Promise.withResolvers<never>();
  engine.inspectImage = () => never;

  const canceled = new AbortController();
  const waiting = resolveImage(hosts, reference, {}, canceled.signal);
  canceled.abort(new Error('canceled'));
  await expect(waiting).rejects.toThrow('canceled');

  const first = resolveImage(hosts, reference, {}, signal);
  reject(new Error('late'));
  expect((await first).envHash).toBe('true');
  engine.inspectImage = () => Promise.withResolvers<never>().promise;
  expect((await resolveImage(hosts, 'other:1', {}, signal)).envHash).toBe('true');

  const scheduler = new Scheduler(hosts, { running: 8, queued: 8, queueTimeoutMs: 1000 });
  hosts[1]?.images.forget();
  expect((await scheduler.lease(requestFor('true'), signal, () => {})).host.name).toBe('b');
});

test('A-401: a host that owes an answer about one image is waited for last, whatever it says of others', async () => {
  const engine = ghostlyEngine('a');
  const half = hostOver(engine, 'a', 'late');
  const other = hostWith('b', 'true');
  const { inspectImage } = engine;
  const owed: ((error: Error) => void)[] = [];
  engine.inspectImage = (name) => {
    if (name !== reference) return inspectImage(name);
    const { promise, reject } = Promise.withResolvers<never>();
    owed.push(reject);
    return promise;
  };
  const endCalls = () => {
    for (const reject of owed.splice(0)) reject(new Error('no answer'));
  };
  const meaning = async (name: string) => (await resolveImage([half, other], name, {}, signal)).envHash;

  const first = meaning(reference);
  endCalls();
  expect(await first).toBe('true');
  // As after an event of the engine that its images have changed.
  await half.images.find('other:1');
  await half.images.refresh();
  expect(await meaning(reference)).toBe('true');
  expect(await meaning('new:1')).toBe('true');
  expect(await meaning('other:1')).toBe('late');
  other.images.forget();
  const scheduler = new Scheduler([half, other], { running: 8, queued: 8, queueTimeoutMs: 1000 });
  expect((await scheduler.lease(requestFor('true'), signal, () => {})).host.name).toBe('b');

  // Each command has it asked again, so it counts as before once it answers.
  endCalls();
  engine.inspectImage = inspectImage;
  await vi.waitFor(async () => expect(await meaning(reference)).toBe('late'));
});

type End = (given: AbortSignal, onProgress: (percent: number) => void) => Promise<void>;

/** Hosts without the image, which do this if they are to pull it, and the names of those that were. */
function pullingHosts(ends: Readonly<Record<string, End>>) {
  const asked: string[] = [];
  const hosts = Object.entries(ends).map(([name, end]) => {
    const engine = ghostlyEngine(name);
    const host = hostOver(engine, name, name);
    const { inspectImage } = engine;
    engine.inspectImage = async () => undefined;
    engine.pullImage = async (_reference, onProgress, given) => {
      asked.push(name);
      await end(given, onProgress);
      engine.inspectImage = inspectImage;
    };
    return host;
  });
  const obtain = createImagePulls(hosts, 60_000);
  const pull = (given = signal) =>
    obtain(`repo@sha256:${'c'.repeat(64)}`, { labels: {}, onProgress: () => {}, signal: given });
  return { hosts, asked, pull };
}

const fail = () => Promise.reject(new ClawrdenError('image-missing', 'no registry'));
const hang = (given: AbortSignal) =>
  new Promise<never>((_, reject) =>
    given.addEventListener('abort', () => setImmediate(reject, given.reason)),
  );

function fakeClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('A-402: a host that failed to pull an image comes last for it for 10 minutes, behind busier ones', async () => {
  fakeClock();
  const { hosts, asked, pull } = pullingHosts({ a: fail, b: async () => {} });
  hosts[1]?.reserve({ agent: 'coder', memoryBytes: 1, cpus: 1 }, 1);
  await expect(pull()).rejects.toThrow('no registry');
  expect((await pull()).envHash).toBe('b');
  expect(asked).toEqual(['a', 'b']);
});

test('A-402: hosts that all failed to pull an image take turns, and after 10 minutes it is as before', async () => {
  fakeClock();
  const { hosts, asked, pull } = pullingHosts({ a: fail, b: fail, c: fail });
  hosts[1]?.blame('its init broke the protocol');
  for (let count = 0; count < 6; count += 1) {
    await expect(pull()).rejects.toThrow('no registry');
    vi.advanceTimersByTime(1000);
  }
  expect(asked.splice(0)).toEqual(['a', 'c', 'b', 'a', 'c', 'b']);
  vi.advanceTimersByTime(10 * 60_000);
  await expect(pull()).rejects.toThrow('no registry');
  expect(asked).toEqual(['a']);
});

test('A-402: pulls that are given up count as failed once they were waited for', async () => {
  fakeClock();
  const { asked, pull } = pullingHosts({ a: hang, b: fail });
  const giveUpAfter = async (ms: number) => {
    const gone = new AbortController();
    const waiting = pull(gone.signal);
    const before = asked.length;
    await vi.waitFor(() => expect(asked.length).toBe(before + 1));
    vi.advanceTimersByTime(ms);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await new Promise(setImmediate);
  };
  await giveUpAfter(29_000);
  // nobody waits for long, and each comes to the idlest host.
  await giveUpAfter(29_000);
  await giveUpAfter(29_000);
  await expect(pull()).rejects.toThrow('no registry');
  expect(asked).toEqual(['a', 'a', 'a', 'b']);
});

test('A-402: who comes while a pull is being given up gets one of its own', async () => {
  const ends: End[] = [hang, async () => {}];
  const { asked, pull } = pullingHosts({ a: (...given) => ends.shift()!(...given) });
  await expect(pull(AbortSignal.timeout(20))).rejects.toThrow('timeout');
  expect([(await pull()).envHash, asked]).toEqual(['a', ['a', 'a']]);
});

function fakePace(): void {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

const isAsked = (asked: readonly string[], names: readonly string[]) =>
  vi.waitFor(() => expect(asked).toEqual(names), { interval: 1 });

test('A-454 P20: while a host is slow to pull an image another pulls it, too, for those who wait and those who come', async () => {
  fakePace();
  const other = Promise.withResolvers<void>();
  const { asked, pull } = pullingHosts({ a: hang, b: () => other.promise });
  const first = [pull(), pull()];
  await isAsked(asked, ['a']);
  vi.advanceTimersByTime(61_000);
  await isAsked(asked, ['a', 'b']);
  const later = pull();
  await new Promise(setImmediate);
  other.resolve();
  for (const facts of await Promise.all([...first, later])) expect(facts.envHash).toBe('b');
  expect(asked).toEqual(['a', 'b']);
});

test('A-454: who comes while two hosts are slow waits for the one that is further, and no third one begins', async () => {
  fakePace();
  const further = Promise.withResolvers<void>();
  const brings: End = async (_given, onProgress) => {
    await Promise.resolve();
    onProgress(40);
    await further.promise;
  };
  const { asked, pull } = pullingHosts({ a: hang, b: brings, c: async () => {} });
  const first = pull();
  for (const names of [['a'], ['a', 'b']]) {
    await isAsked(asked, names);
    vi.advanceTimersByTime(122_000);
  }
  await new Promise(setImmediate);
  const later = pull();
  await new Promise(setImmediate);
  further.resolve();
  expect([(await first).envHash, (await later).envHash, asked]).toEqual(['b', 'b', ['a', 'b']]);
});

test('A-454: a pull that goes on is left to its host, and one that was slow and is there first counts', async () => {
  fakePace();
  const slow = Promise.withResolvers<void>();
  let tell = (_percent: number) => {};
  const end: End = (_given, onProgress) => {
    tell = onProgress;
    return slow.promise;
  };
  const { asked, pull } = pullingHosts({ a: end, b: hang });
  const facts = pull();
  await isAsked(asked, ['a']);
  for (const percent of [1, 2, 99, 100, 100]) {
    expect(asked).toEqual(['a']);
    tell(percent);
    vi.advanceTimersByTime(60_000);
    await new Promise(setImmediate);
  }
  await isAsked(asked, ['a', 'b']);
  slow.resolve();
  expect((await facts).envHash).toBe('a');
});

test('A-454: if no other host is there, a slow pull is waited for', async () => {
  fakePace();
  const slow = Promise.withResolvers<void>();
  const { asked, pull } = pullingHosts({ a: () => slow.promise });
  const facts = pull();
  await isAsked(asked, ['a']);
  vi.advanceTimersByTime(120_000);
  const later = pull();
  await new Promise(setImmediate);
  slow.resolve();
  expect([(await facts).envHash, (await later).envHash, asked]).toEqual(['a', 'a', ['a']]);
});
