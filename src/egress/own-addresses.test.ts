import { expect, onTestFinished, test, vi } from 'vitest';
import { ownHostFinders } from './find-own-host.ts';
import { guardedConnect } from './guarded-connect.ts';
import { type Find, ownAddresses } from './own-addresses.ts';

const nothing = () => Promise.reject(new Error('there is no such name'));
const { signal } = new AbortController();

/** Why a private destination with this address is not reached. */
async function whyNot(address: string, finds: readonly Find[]): Promise<string> {
  const ours = ownAddresses(() => ['build-1'], finds);
  const connect = guardedConnect({ resolve: async () => [address], ours, withinMs: 200 });
  const wanted = { name: 'build-1.corp.example', port: 22, private: true };
  const error: unknown = await connect(wanted, signal).catch((each: unknown) => each);
  return (error as { detail?: string }).detail ?? '';
}

const engine = '192.0.2.7';
const isEngines = /is the gateway's, or an engine's/;

test('A-443: an engine is not reached that only /etc/hosts or a search domain knows, nor one that only DNS knows', async () => {
  const finds = async () => [engine];
  expect(await whyNot(engine, ownHostFinders(finds, [nothing]))).toMatch(isEngines);
  expect(await whyNot(engine, ownHostFinders(nothing, [finds]))).toMatch(isEngines);
  expect(
    await whyNot(
      engine,
      ownHostFinders(async () => ['192.0.2.8'], [nothing, finds]),
    ),
  ).toMatch(isEngines);
  const { addresses } = await ownAddresses(() => ['localhost'], ownHostFinders(undefined, [nothing]))(signal);
  expect(addresses).toContain('127.0.0.1');
});

test('A-443: while an engine was never found, no private address is reached, and then all but its own are', async () => {
  expect(await whyNot(engine, ownHostFinders(nothing, [nothing]))).toMatch(
    /may be build-1, which has no address/,
  );
  expect(
    await whyNot(
      '192.0.2.8',
      ownHostFinders(async () => [engine], [nothing]),
    ),
  ).not.toMatch(/may be|is the/);
});

test('A-443 P20: however many connections ask, a host is looked up once at a time, and hosts in turn', async () => {
  let [most, under, looked] = [0, 0, 0];
  const slow = async () => {
    [looked, under] = [looked + 1, under + 1];
    most = Math.max(most, under);
    await new Promise((resolve) => setTimeout(resolve, 10));
    under -= 1;
    return [engine];
  };
  const ours = ownAddresses(() => ['a', 'b'], ownHostFinders(slow, [nothing]));
  const gone = new AbortController();
  const left = ours(gone.signal);
  const others = Array.from({ length: 50 }, () => ours(signal));
  gone.abort(new Error('its client went away'));
  await expect(left).rejects.toThrow('its client went away');
  for (const own of await Promise.all(others)) expect(own.unfound).toEqual([]);
  expect([looked, most]).toEqual([2, 1]);
});

/** Never answers, in whatever time it is given. */
const silent: Find = () => new Promise(() => {});

function fakeClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('A-456 P20: a host about which a server is silent holds up a connection once for a second, and is as it was', async () => {
  fakeClock();
  let answer: Find = async (host) => (host === 'found' ? [engine] : nothing());
  const ours = ownAddresses(() => ['found', 'unfound'], [(host, given) => answer(host, given), nothing]);
  await ours(signal);
  answer = silent;
  vi.advanceTimersByTime(61_000);
  const began = Date.now();
  for (let count = 0; count < 3; count += 1) {
    const { addresses, unfound } = await ours(signal);
    expect([addresses.has(engine), unfound]).toEqual([true, ['unfound']]);
  }
  expect(Date.now() - began).toBeLessThan(1900);
});

test('A-457: what one does not answer about a host counts as before, whatever another says', async () => {
  fakeClock();
  const [inside, outside] = ['10.0.0.7', '203.0.113.9'];
  const answers = async (): Promise<readonly string[]> => [inside];
  let machine: Find = answers;
  const finds = ownHostFinders((host, given) => machine(host, given), [nothing, async () => [outside]]);
  const ours = ownAddresses(() => ['build-1'], finds);
  await ours(signal);
  machine = nothing;
  vi.advanceTimersByTime(61_000);
  const own = await ours(signal);
  expect([own.addresses.has(inside), own.addresses.has(outside), own.unfound]).toEqual([true, true, []]);
  // Never answered where engines are connected to: any private address may be its own.
  expect(await whyNot(inside, finds)).toMatch(/may be build-1/);
});
