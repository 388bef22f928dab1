import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CarrierFrame } from '../../../src/carrier-client/carrier-frame.ts';
import { defaultLimits, type Hello } from '../../../src/carrier-client/hello.ts';
import { encodeFrame } from '../../../src/wire/frames.ts';
import { greetCarrier } from './home-carrier.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const hello: Hello = { role: 'home', uid: 1, gid: 1, limits: defaultLimits, root: '/w', area: '/a' };

/** A carrier that ends only if it is killed. */
async function carrier(first: 'ready' | 'working' = 'ready') {
  const { promise: gone, resolve } = Promise.withResolvers<string>();
  const kill = vi.fn<() => void>(() => resolve('was killed'));
  const output = new PassThrough();
  const { end, greeting } = greetCarrier({ input: new PassThrough(), output, gone, kill }, hello);
  output.write(encodeFrame(CarrierFrame[first]));
  if (first === 'ready') await greeting;
  return { output, kill, end, ended: () => resolve('ended') };
}

const working = encodeFrame(CarrierFrame.working);

async function work({ output, kill }: Awaited<ReturnType<typeof carrier>>, seconds: number): Promise<void> {
  for (let left = seconds; left > 0 && kill.mock.calls.length === 0; left -= 5) {
    output.write(working);
    await vi.advanceTimersByTimeAsync(5000);
  }
}

test('A-563 P13: a carrier that ends is not killed as long as it says that it works', async () => {
  const one = await carrier();
  const end = one.end();
  await work(one, 120);
  expect(one.kill).not.toHaveBeenCalled();
  one.ended();
  expect(await end).toBe('ended');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(one.kill).not.toHaveBeenCalled();
});

test('A-563: one that says nothing is killed after 10 s, and one that works without an end after half an hour', async () => {
  const silent = await carrier();
  const end = silent.end();
  await vi.advanceTimersByTimeAsync(9999);
  expect(silent.kill).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await end).toBe('was killed');
  const endless = await carrier();
  const ends = endless.end();
  await work(endless, 3600);
  expect(await ends).toBe('was killed');
});

test('A-563: one that was not ready is killed after 10 s, whatever it says', async () => {
  const one = await carrier('working');
  const end = one.end();
  await work(one, 10);
  expect(one.kill).toHaveBeenCalledTimes(1);
  expect(await end).toBe('was killed');
});
