import { expect, test } from 'vitest';
import { ownHostFinder } from './find-own-host.ts';
import { guardedConnect } from './guarded-connect.ts';
import { ownAddresses } from './own-addresses.ts';

const nothing = () => Promise.reject(new Error('there is no such name'));
const { signal } = new AbortController();

/** Why a private destination with this address is not reached. */
async function whyNot(address: string, find: ReturnType<typeof ownHostFinder>): Promise<string> {
  const ours = ownAddresses(() => ['build-1'], find);
  const connect = guardedConnect({ resolve: async () => [address], ours, withinMs: 200 });
  const wanted = { name: 'build-1.corp.example', port: 22, private: true };
  const error: unknown = await connect(wanted, signal).catch((each: unknown) => each);
  return (error as { detail?: string }).detail ?? '';
}

const engine = '192.0.2.7';
const isEngines = /is the gateway's, or an engine's/;

test('A-443: an engine is not reached that only /etc/hosts or a search domain knows, nor one that only DNS knows', async () => {
  const finds = async () => [engine];
  expect(await whyNot(engine, ownHostFinder(finds, nothing))).toMatch(isEngines);
  expect(await whyNot(engine, ownHostFinder(nothing, finds))).toMatch(isEngines);
  expect(
    await whyNot(
      engine,
      ownHostFinder(async () => ['192.0.2.8'], finds),
    ),
  ).toMatch(isEngines);
  expect(await ownHostFinder(undefined, nothing)('localhost', signal)).toContain('127.0.0.1');
});

test('A-443: while an engine was never found, no private address is reached, and then all but its own are', async () => {
  expect(await whyNot(engine, ownHostFinder(nothing, nothing))).toMatch(
    /may be build-1, which has no address/,
  );
  expect(
    await whyNot(
      '192.0.2.8',
      ownHostFinder(async () => [engine], nothing),
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
  const ours = ownAddresses(() => ['a', 'b'], ownHostFinder(slow, nothing));
  const gone = new AbortController();
  const left = ours(gone.signal);
  const others = Array.from({ length: 50 }, () => ours(signal));
  gone.abort(new Error('its client went away'));
  await expect(left).rejects.toThrow('its client went away');
  for (const own of await Promise.all(others)) expect(own.unfound).toEqual([]);
  expect([looked, most]).toEqual([2, 1]);
});
