import { expect, test } from 'vitest';
import { ClawrdenError } from '../../src/errors.ts';
import type { Engine, GhostPurpose, GhostShape } from '../ports/engine.ts';
import { ghostlyEngine } from '../scheduler/warm/waiting-ghost.fixture.ts';
import { createStartTimes } from './start-times.ts';

const shape = {} as GhostShape;

test('each start that came to an init counts once, by what it was for', async () => {
  const times = createStartTimes();
  const counts = () => {
    const [metric] = times.metrics();
    return metric!.samples
      .filter(({ part }) => part === 'count')
      .map(({ labels, value }) => [labels['kind'], value]);
  };
  const engine = ghostlyEngine('one', 30);
  const watched = times.watch(engine);
  const start = (purpose: Partial<GhostPurpose>) =>
    watched.startGhost(shape, { pooled: false, timeoutMs: 0, ...purpose }, new AbortController().signal);
  await start({ pooled: true });
  await start({ pooled: true });
  await start({ executionId: 'x' });
  await start({ session: true });
  const failing = times.watch<Pick<Engine, 'startGhost'>>({
    startGhost: () => Promise.reject(new ClawrdenError('host-lost', 'gone')),
  });
  const lost = failing.startGhost(shape, { pooled: false, timeoutMs: 0 }, new AbortController().signal);
  await expect(lost).rejects.toThrow('gone');
  expect(counts()).toEqual([
    ['warm', 2],
    ['cold', 1],
    ['session', 1],
  ]);
  const [metric] = times.metrics();
  const sum = metric!.samples.find(({ part, labels }) => part === 'sum' && labels['kind'] === 'warm');
  expect(sum!.value).toBeGreaterThan(0.05);
  expect(sum!.value).toBeLessThan(30);
});
