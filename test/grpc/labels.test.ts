import { once } from 'node:events';
import { type ServiceError, status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { Label } from '../../src/gen/clawrden/v1/execution.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { labelKey, labelsAtMost, labelValueLength } from '../../src/labels.ts';
import { admin, emptyWarden, startTestGateway } from './gateway.ts';

const numRuns = process.env['CLAWRDEN_LONG'] ? 3_000 : 100;

const key = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(labelKey) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype), 'prototype') },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', maxLength: 80 }).filter((text) => text.isWellFormed()),
  },
);
const value = fc.oneof(fc.string({ maxLength: 8 }), fc.constant('x'.repeat(labelValueLength + 1)));
const label: fc.Arbitrary<Label> = fc.record({ key, value });
const labels = fc.oneof(
  fc.array(label, { maxLength: 4 }),
  // Some of them twice.
  fc.array(label, { minLength: 1, maxLength: 3 }).map((some) => [...some, { ...some[0]!, value: 'y' }]),
  fc.array(label, { minLength: labelsAtMost, maxLength: labelsAtMost + 1 }),
);

const refused: number = status.INVALID_ARGUMENT;

const areGood = (some: readonly Label[]) =>
  some.length <= labelsAtMost &&
  new Set(some.map((each) => each.key)).size === some.length &&
  some.every((each) => labelKey.test(each.key) && each.value.length <= labelValueLength);

/** The status of an execution on hosts with these labels. */
async function execute(client: GatewayClient, hostLabels: readonly Label[]): Promise<number> {
  const command = {
    tool: 'ls',
    args: [],
    cwd: '',
    env: [],
    umask: 0,
    stdio: [],
    ignored: [],
    blocked: [],
    version: 1,
  };
  const stream = client.execute();
  stream.on('data', () => {});
  const start = { executionId: newExecutionId(), agent: '', hostLabels: [...hostLabels] };
  const rest = { command: { ...command, terminal: undefined }, identity: undefined, refusal: undefined };
  stream.write({ message: { $case: 'start', value: { ...start, ...rest } } });
  return await Promise.race([
    once(stream, 'end').then(() => status.OK),
    new Promise<number>((resolve) => stream.once('error', ({ code }: ServiceError) => resolve(code))),
  ]);
}

test('A-68 P17: of the labels that narrow a request every one counts, or it is refused', async () => {
  let told: Readonly<Record<string, string>> | undefined;
  await using gateway = await startTestGateway({
    execute: async (_caller, { hostLabels }) => {
      told = hostLabels;
      return { kind: 'exited', code: 0, signal: 0 };
    },
    warden: {
      principals: {
        ...emptyWarden.principals,
        createToken: async ({ scope }) => {
          told = scope;
          return { refused: 'only looked at' };
        },
      },
    },
  });
  const client = await gateway.connect(admin);
  const createToken = async (scope: readonly Label[]) => {
    const wanted = { name: 'n', role: 'viewer', scope: [...scope], agent: '', ttl: 0n };
    return await client.call(WardenServiceService.createApiToken, wanted).then(
      () => status.OK,
      ({ code }: ServiceError) => code,
    );
  };
  await fc.assert(
    fc.asyncProperty(labels, fc.boolean(), async (some, isScope) => {
      told = undefined;
      const code = await (isScope ? createToken(some) : execute(client, some));
      expect([code === refused, told === undefined]).toEqual(areGood(some) ? [false, false] : [true, true]);
      if (told === undefined) return;
      expect(new Map(Object.entries(told))).toEqual(new Map(some.map((each) => [each.key, each.value])));
    }),
    { numRuns },
  );
});
