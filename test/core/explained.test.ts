import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBudgets } from '../../gateway/judging/budgets.ts';
import { createExplain } from '../../gateway/judging/explain.ts';
import { allAgents, type Principal } from '../../gateway/ports/principal.ts';
import type { GatewayLimits } from '../../src/config/gateway-config.ts';
import { createNextPiece } from '../../src/next-piece.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import { sharedPolicy } from '../fixtures/shared-policy.ts';

const limits = { requestsPerSecond: 30, bytesPerSecond: 2_000_000 } as GatewayLimits;
const viewer = (name: string): Principal => ({
  kind: 'person',
  name,
  role: 'viewer',
  scope: allAgents,
});
const command = (args: readonly string[]) => ({ agent: 'a', tool: 'git', args: [...args], cwd: '/' });

function explainer() {
  const parsed = parsePolicy(sharedPolicy(), 'policy.yaml');
  if (!('policy' in parsed)) throw new Error(parsed.problems.join('\n'));
  return createExplain({
    budgets: createBudgets(limits, () => 0),
    policy: () => parsed.policy,
    agents: () => new Map(),
    halted: () => undefined,
    resolveImage: () => Promise.reject(new Error('no images here')),
    routes: () => new Map(),
    learnsOf: () => undefined,
    nextPiece: createNextPiece(),
  });
}

test('A-330 P20: who asks what commands would do has a budget of bytes and of requests, and others have theirs', async () => {
  const explain = explainer();
  const long = command(Array.from({ length: 30_000 }, (_, at) => `-${at}`));
  const asked = await Promise.allSettled(Array.from({ length: 8 }, () => explain(long, viewer('eve'))));
  const refused = asked.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(3);
  expect(refused).toMatchObject(refused.map(() => ({ reason: { code: 'rate-limit' } })));
  expect(await explain(command([]), viewer('bob'))).toMatchObject({ action: 'deny' });
  const short = await Promise.allSettled(
    Array.from({ length: 70 }, () => explain(command([]), viewer('kim'))),
  );
  expect(short.filter(({ status }) => status === 'fulfilled')).toHaveLength(60);
});

test('A-330 P20: whatever is asked at once, the gateway serves others between any two answers', async () => {
  const explain = explainer();
  let answered = 0;
  const most: number[] = [];
  const all = Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      await explain(command([`-${at}`]), viewer('eve'));
      answered += 1;
    }),
  );
  for (let before = 0; answered < 50; before = answered) {
    await turn();
    most.push(answered - before);
  }
  await all;
  expect(Math.max(...most)).toBeLessThan(3);
});
