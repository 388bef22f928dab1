import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createKeyRing } from '../keys/key-ring.ts';
import { createSessionTokens } from './session-token.ts';

const signingKey = generateKeyPairSync('ed25519').privateKey;
const tokens = createSessionTokens({ gatewayId: 'gw-1', keys: createKeyRing(signingKey) });
const print = 'x'.repeat(43);
const caller = { kind: 'relay', name: 'host-7', role: 'relay', scope: {} } as const;

describe('P5: a signing key that hands over', () => {
  const clock = () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    return { [Symbol.dispose]: () => vi.useRealTimers() };
  };

  test('what it signed counts until the stated moment and no longer, looked at before or not; the next key signs at once', async () => {
    using _ = clock();
    const keys = createKeyRing(signingKey);
    const rotated = createSessionTokens({ gatewayId: 'gw-1', keys });
    const [seen, unseen] = [await rotated.issue(caller, print), await rotated.issue(caller, print)];
    keys.take(generateKeyPairSync('ed25519').privateKey, Date.now() + 60_000);
    const fresh = await rotated.issue(caller, print);
    const verdicts = async () =>
      await Promise.all(
        [seen, fresh].map(async ({ token }) => 'value' in (await rotated.verify(token, print))),
      );
    expect(await verdicts()).toEqual([true, true]);
    vi.advanceTimersByTime(59_999);
    expect(await verdicts()).toEqual([true, true]);
    vi.advanceTimersByTime(1);
    expect(await verdicts()).toEqual([false, true]);
    expect(await rotated.verify(unseen.token, print)).toEqual({ refused: 'the token is not valid' });
    // The key that it no longer has signs nothing.
    expect(await tokens.verify(fresh.token, print)).toHaveProperty('refused');
    expect(await tokens.verify(unseen.token, print)).toHaveProperty('value');
  });

  test('a wall clock that is set back gives it no more time', async () => {
    using _ = clock();
    const keys = createKeyRing(signingKey);
    const rotated = createSessionTokens({ gatewayId: 'gw-1', keys });
    const { token } = await rotated.issue(caller, print);
    keys.take(generateKeyPairSync('ed25519').privateKey, Date.now() + 60_000);
    vi.advanceTimersByTime(60_000);
    vi.setSystemTime(Date.now() - 50_000);
    expect(await rotated.verify(token, print)).toHaveProperty('refused');
  });

  test('over any rotations: a key counts until the earliest end that was stated since it signed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ overlapMs: fc.nat(100_000), laterMs: fc.nat(60_000) }), {
          minLength: 1,
          maxLength: 6,
        }),
        async (rotations) => {
          using _ = clock();
          const keys = createKeyRing(signingKey);
          const rotated = createSessionTokens({ gatewayId: 'gw-1', keys });
          const issued: { token: string; until: number }[] = [];
          for (const { overlapMs, laterMs } of rotations) {
            issued.push({
              token: (await rotated.issue(caller, print)).token,
              until: Number.POSITIVE_INFINITY,
            });
            const until = Date.now() + overlapMs;
            keys.take(generateKeyPairSync('ed25519').privateKey, until);
            for (const each of issued) each.until = Math.min(each.until, until);
            vi.advanceTimersByTime(laterMs);
            for (const each of issued) {
              const counts = 'value' in (await rotated.verify(each.token, print));
              expect(counts).toBe(Date.now() < each.until);
            }
          }
        },
      ),
      { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 500 : 40 },
    );
  });
});
