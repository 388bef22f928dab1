import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SlidingWindow } from './sliding-window.ts';

test('it holds what a list of all that came would say, over any stretch', () => {
  const gap = fc.nat({ max: 20 });
  fc.assert(
    fc.property(
      fc.array(gap),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 9 }),
      (gaps, length, most) => {
        const window = new SlidingWindow<{ readonly at: number }>();
        const all: number[] = [];
        let now = 0;
        for (const wait of gaps) {
          now += wait;
          const kept = all.slice(-most).filter((at) => now - at < length);
          expect(window.within(length, now).map(({ at }) => at)).toEqual(kept);
          window.add({ at: now }, most);
          all.push(now);
          expect(window.within(length).map(({ at }) => at)).toEqual(
            all.slice(-most).filter((at) => now - at < length),
          );
        }
      },
    ),
  );
});
