import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { abortable, deadline, onAbort } from './abort.ts';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

test('a listener is called once, at once if it is late, and not after it was disposed of', () => {
  const [controller, calls]: [AbortController, string[]] = [new AbortController(), []];
  onAbort(controller.signal, () => void calls.push('early'));
  onAbort(controller.signal, () => void calls.push('disposed'))[Symbol.dispose]();
  controller.abort();
  const late = onAbort(controller.signal, () => void calls.push('late'));
  expect(calls).toEqual(['early', 'late']);
  late[Symbol.dispose]();
  expect(calls).toHaveLength(2);
});

test('whichever comes first counts, in every order, and nothing is left listening', async () => {
  const step = fc.constantFrom('resolve', 'reject', 'abort', 'late', 'turn');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), fc.boolean(), async (steps, abortedBefore) => {
      vi.useFakeTimers();
      const [outer, work] = [new AbortController(), Promise.withResolvers<string>()];
      if (abortedBefore) outer.abort('abort');
      using until = deadline(1000, () => 'late', outer.signal);
      const ended = abortable(work.promise, until.signal).catch((reason: unknown) => reason);
      work.promise.catch(() => {});
      for (const next of steps) {
        if (next === 'resolve') work.resolve('resolve');
        else if (next === 'reject') work.reject('reject');
        else if (next === 'abort') outer.abort('abort');
        else if (next === 'late') vi.advanceTimersByTime(1000);
        // Each step counts before the next.
        for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
      }
      const [first] = [...(abortedBefore ? ['abort'] : []), ...steps.filter((name) => name !== 'turn')];
      if (first === undefined) work.resolve('resolve');
      expect(await ended).toBe(first ?? 'resolve');
      expect([listeners(until.signal), vi.getTimerCount() <= 1]).toEqual([0, true]);
      until[Symbol.dispose]();
      expect(vi.getTimerCount()).toBe(0);
      vi.useRealTimers();
    }),
  );
});

test('what loses the race is no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const [controller, work] = [new AbortController(), Promise.withResolvers<never>()];
  const ended = abortable(work.promise, controller.signal);
  controller.abort(new Error('canceled'));
  await expect(ended).rejects.toThrow('canceled');
  work.reject(new Error('later'));
  await abortable(Promise.resolve(1), AbortSignal.abort(new Error('before'))).catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
