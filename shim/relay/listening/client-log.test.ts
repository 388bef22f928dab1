import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { clientLog } from './client-log.ts';

afterEach(() => void vi.useRealTimers());

test('A-423 P20: what clients cause is logged at a rate, and each line counts those that were left out', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lines: Record<string, unknown>[] = [];
  const { warn, tellEnd } = clientLog(pino({}, { write: (line) => void lines.push(JSON.parse(line)) }));
  const many = (work: () => void) => {
    for (let times = 0; times < 1000; times += 1) work();
    return lines.splice(0);
  };
  const [end, warning] = [() => tellEnd({}, 'ended'), () => warn({}, 'broken')];
  expect(many(end)).toHaveLength(100);
  vi.advanceTimersByTime(1000);
  expect(many(end).map(({ suppressed }) => suppressed)).toEqual([900, 0, 0, 0, 0]);
  expect(many(warning)).toMatchObject([{ msg: 'broken', suppressed: 0 }]);
  vi.advanceTimersByTime(1000);
  expect(many(warning)).toMatchObject([{ msg: 'broken', suppressed: 999 }]);
});
