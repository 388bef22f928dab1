import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { crumbPace, messagesPerSecond } from '../../../src/crumb-budgets.ts';
import { drained } from '../../../src/drained.ts';
import { paced } from './way-out-lane.ts';

test('A-297 P22: a relay passes on no more small pieces of a way out than the gateway reads', async () => {
  const way = paced(crumbPace());
  let passed = 0;
  way.on('data', () => (passed += 1));
  // What two seconds bring goes at once.
  const pieces = 2.2 * messagesPerSecond;
  const began = performance.now();
  for (let n = 0; n < pieces; n += 1) if (!way.write(Buffer.of(n % 256))) await drained(way);
  while (passed < pieces) await sleep(5);
  expect(performance.now() - began).toBeGreaterThan(150);
  expect(passed).toBe(pieces);
});
