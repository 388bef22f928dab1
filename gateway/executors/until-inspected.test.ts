import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClawrdenError } from '../../src/errors.ts';
import { untilInspected } from './until-inspected.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<readonly string[]>(() => {});
const alive = () => new AbortController().signal;

test('what was found in time is given back, and nothing is left waiting', async () => {
  expect(await untilInspected(Promise.resolve(['x']), alive())).toEqual(['x']);
  expect(vi.getTimerCount()).toBe(0);
});

test('P23: nobody waits for ever for a look at scripts', async () => {
  const looked = untilInspected(never, alive()).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await looked).toMatchObject({ code: 'start-timeout' });
});

test.each(['before', 'while'])(
  'an execution that ends %s somebody looks ends it with its reason',
  async (when) => {
    const abort = new AbortController();
    const reason = new ClawrdenError('canceled', 'by an operator');
    if (when === 'before') abort.abort(reason);
    const looked = untilInspected(never, abort.signal);
    abort.abort(reason);
    await expect(looked).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  },
);
