import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { createCallBudget } from '../../gateway/connections/call-budget.ts';
import { triesAtMost } from '../../gateway/connections/wrong-tries.ts';
import { relayCallRates } from '../../gateway/grpc/calls/relay-call-rates.ts';
import { openChannel } from '../../src/gateway-client/open-channel.ts';
import { type UnaryMethod, unaryCall } from '../../src/gateway-client/unary-call.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { makeCertificateRequest } from '../../src/pki/certificate-request.ts';
import { pushbackOf } from '../../src/wire/pushback.ts';
import { relay, startTestGateway, type TestGateway } from './gateway.ts';

const calls = 600;
const { request: certificateRequest } = await makeCertificateRequest();

interface Method {
  readonly name: string;
  readonly method: UnaryMethod<never, unknown>;
}

const unaryOf = (service: object): Method[] =>
  Object.entries(service)
    .filter(([, { requestStream, responseStream }]) => !requestStream && !responseStream)
    .map(([name, method]) => ({ name, method }));

/** What each call needs to get as far as it can. */
const requests: Record<string, () => unknown> = {
  renew: () => ({ certificateRequest }),
  enroll: () => ({ token: 'x'.repeat(500), certificateRequest }),
};

/** Calls `method` many times at once; resolves with the errors, undefined for each call that was answered. */
async function flood(
  call: (method: UnaryMethod<never, unknown>, request: never) => Promise<unknown>,
  { name, method }: Method,
  times = calls,
): Promise<(ServiceError | undefined)[]> {
  const request = (requests[name]?.() ?? emptyOf(method)) as never;
  return await Promise.all(
    Array.from({ length: times }, () =>
      call(method, request).then(
        () => undefined,
        (error: ServiceError) => error,
      ),
    ),
  );
}

function emptyOf(method: UnaryMethod<never, unknown>): unknown {
  const { requestDeserialize } = method as unknown as { requestDeserialize: (bytes: Buffer) => unknown };
  return requestDeserialize(Buffer.alloc(0));
}

/** What the gateway's crypto was asked for. */
function counted(gateway: TestGateway): { readonly done: () => number } {
  let done = 0;
  const { enrolment } = gateway as unknown as { enrolment: Record<string, (...args: unknown[]) => unknown> };
  for (const name of ['renew', 'enroll', 'createToken'])
    enrolment[name] = (
      (real) =>
      (...args: unknown[]) => {
        done += 1;
        return real(...args);
      }
    )(enrolment[name]!);
  return { done: () => done };
}

test.each(unaryOf(RelayServiceService).filter(({ name }) => name !== 'enroll'))(
  'P20: of many calls of $name by one relay, those beyond its budget cost no crypto, and another relay is served',
  async (method) => {
    await using gateway = await startTestGateway();
    const { done } = counted(gateway);
    const client = await gateway.connect(relay);
    const other = await gateway.connect({ kind: 'relay', name: 'host-8' });
    await other.call(RelayServiceService.token, {});
    const began = performance.now();
    const errors = await flood((each, request) => client.call(each, request), method);
    const seconds = (performance.now() - began) / 1000;
    const rate = relayCallRates[method.name as keyof typeof relayCallRates];
    const answered = errors.filter((error) => error === undefined).length;
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThanOrEqual(rate.atOnce + seconds * rate.perSecond + 1);
    if (method.name === 'renew') expect(done()).toBe(answered);
    for (const error of errors.filter((each) => each !== undefined)) {
      expect(error).toMatchObject({ code: 8, details: expect.stringContaining('rate-limit') });
      expect(pushbackOf(error)).toBeGreaterThan(0);
    }
    // Its budget is that of its name only.
    const renewed = await other.call(RelayServiceService.renew, { certificateRequest });
    expect(renewed).toHaveProperty('certificate');
  },
);

test("P20: of an operator's calls a relay gets none past its role, before any other work", async () => {
  await using gateway = await startTestGateway();
  const { done } = counted(gateway);
  const client = await gateway.connect(relay);
  for (const method of unaryOf(WardenServiceService)) {
    const errors = await flood((each, request) => client.call(each, request), method, 20);
    expect([method.name, ...new Set(errors.map((error) => error?.code))]).toEqual([method.name, 7]);
  }
  expect(done()).toBe(0);
});

test('P17 P20: a source has ten wrong enrolment tokens a minute, and those beyond them cost no crypto', async () => {
  await using gateway = await startTestGateway();
  const { done } = counted(gateway);
  await gateway.enrolment.createToken(relay.name, ['coder'], 60, {
    ...{ kind: 'person', name: 'ann', role: 'admin', scope: {} },
  });
  const client = openChannel(gateway.enrollAddress, { authority: gateway.authority.certificate });
  const method = unaryOf(RelayServiceService).find(({ name }) => name === 'enroll')!;
  const before = done();
  const codes = (await flood((each, request) => unaryCall(client, each, request), method)).map(
    (error) => error?.code,
  );
  client.close();
  const tried = codes.filter((code) => code === status.PERMISSION_DENIED).length;
  expect(done() - before).toBe(tried);
  expect(tried).toBe(triesAtMost);
  expect(codes).toContain(8);
});

test('P20: a budget is for one key, comes back at the time that it says, and remembers few keys', () => {
  let now = 0;
  const budget = createCallBudget('certificates', { atOnce: 2, perSecond: 0.1 }, () => now);
  const waitOf = (key: string): number => {
    try {
      budget.charge(key);
      return 0;
    } catch (error) {
      return (error as { waitMs: number }).waitMs;
    }
  };
  expect([waitOf('a'), waitOf('a'), waitOf('b')]).toEqual([0, 0, 0]);
  const wait = waitOf('a');
  expect(wait).toBeGreaterThan(9_000);
  expect(waitOf('a')).toBe(wait);
  now += wait;
  expect([waitOf('a'), waitOf('a') > 0]).toEqual([0, true]);
  for (let key = 0; key < 5000; key += 1) expect(waitOf(`${key}`)).toBe(0);
});

test('what says no time has no pushback', () => {
  const metadata = new Metadata();
  metadata.set('grpc-retry-pushback-ms', '-1');
  expect([pushbackOf({ metadata }), pushbackOf(new Error('x')), pushbackOf({})]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
