import { once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import { callersPace } from '../../gateway/grpc/front/pace.ts';
import { nameLimits } from '../../gateway/grpc/front/peer-share.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { relay, startTestGateway, type TestGateway } from './gateway.ts';
import { Place, state } from './place.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const { calls, unheard } = nameLimits;
/** What waits for itself waits for all of that; a machine that is busy does not. */
const patientMs = 60_000;
const pace = {
  ...{ ...callersPace, handshakeMs: patientMs, firstCallMs: patientMs, firstMessageMs: patientMs },
  ...{ synchronizeMs: patientMs, pongMs: patientMs },
};

async function newPlace(gateway: TestGateway): Promise<Place> {
  const identityDir = await gateway.identity(relay);
  return new Place(await connectGateway({ address: gateway.address, identityDir }));
}

function tokenOf({ client }: Place): Promise<{ token: string }> {
  return client.call(RelayServiceService.token, {}, patientMs);
}

/** How many calls come before the Synchronize, how many after it, and how many of all ask for a token. */
const beginnings = fc.record({
  before: fc.integer({ min: unheard, max: unheard + 100 }),
  after: fc.nat(20),
  tokens: fc.nat(4),
});

test('P20: however many calls a connection begins with, its Synchronize and its token go ahead of them, and all are answered', async () => {
  await using gateway = await startTestGateway({ state, pace });
  await fc.assert(
    fc.asyncProperty(beginnings, async ({ before, after, tokens }) => {
      using place = await newPlace(gateway);
      const begun = (count: number) => Array.from({ length: count }, () => place.execute());
      const early = begun(before);
      const asked = Array.from({ length: tokens }, () => tokenOf(place));
      const [, given, ends] = await Promise.all([
        place.synchronize(patientMs),
        Promise.all(asked),
        Promise.all([...early, ...begun(after)]),
      ]);
      expect(new Set(ends)).toEqual(new Set(['ended']));
      expect(given).toHaveLength(tokens);
    }),
    { numRuns: isLong ? 50 : 2, ...(isLong ? {} : { seed: 20_261_122 }) },
  );
}, 300_000);

test.runIf(isLong)(
  'P20: a relay that has as many calls open as it may still gets a token, and moves to another connection',
  async () => {
    let running = 0;
    const execute: Execute = async (_caller, _request, { gone }) => {
      running += 1;
      await once(gone, 'abort');
      running -= 1;
      return { kind: 'exited', code: 0, signal: 0 };
    };
    await using gateway = await startTestGateway({ state, pace, execute });
    using full = await newPlace(gateway);
    await full.synchronize();
    const open = Array.from({ length: calls - 1 }, () => full.execute());
    await expect.poll(() => running, { timeout: patientMs }).toBe(calls - 1);
    // With the Synchronize there are as many as may be: of ordinary calls there cannot be another one.
    const refused = await Promise.all([full.execute(), full.execute()]);
    expect(refused.filter((end) => end === 'ended')).toEqual([]);
    expect(await tokenOf(full)).toMatchObject({ token: /./ });
    using next = await newPlace(gateway);
    await next.synchronize();
    await Promise.all(open);
    expect(running).toBe(0);
  },
  300_000,
);
