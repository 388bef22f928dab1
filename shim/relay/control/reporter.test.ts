import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReporter } from './reporter.ts';

test('P19: whatever order looks end in, no report says what was seen before the one that was sent last', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 2, maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
      async (always, order) => {
        const looks: (() => void)[] = [];
        const sent: number[] = [];
        const report = createReporter(
          () => new Promise<number>((resolve) => void looks.push(resolve.bind(undefined, looks.length))),
          (seen) => void sent.push(seen),
        );
        const reports = always.map((each) => report(each));
        const left = [...looks];
        while (left.length > 0) {
          const [end] = left.splice((order.next().value ?? 0) % left.length, 1);
          end?.();
          await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(reports);
        expect(sent).toEqual([...sent].sort((a, b) => a - b));
        expect(sent.at(-1)).toBe(always.length - 1);
      },
    ),
  );
});

test('what was said last is said again only if that is asked for', async () => {
  const sent: object[] = [];
  const report = createReporter(
    () => Promise.resolve({ halted: true }),
    (seen) => void sent.push(seen),
  );
  await report();
  await report();
  expect(sent).toHaveLength(1);
  await report(true);
  expect(sent).toHaveLength(2);
});
