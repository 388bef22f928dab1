import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallRefused } from '../../gateway/grpc/calls/errors.ts';
import { clawrden } from '../cli/clawrden.ts';
import { gatewayWith } from '../cli/exec-gateway.ts';
import { version1 } from './requests.ts';
import { pending } from './scripted.ts';
import { startRelay } from './start-relay.ts';

type Status = (typeof status)[keyof typeof status];

const statuses = Object.values(status).filter(
  (code): code is Exclude<Status, typeof status.OK> => typeof code === 'number' && code !== status.OK,
);

/** The gateway's refusal, and the message for the caller. */
const refusals = new Map<Status, string>([
  ...[
    status.INVALID_ARGUMENT,
    status.NOT_FOUND,
    status.ALREADY_EXISTS,
    status.FAILED_PRECONDITION,
    status.OUT_OF_RANGE,
    status.UNIMPLEMENTED,
  ].map((code) => [code, 'request-invalid: told so'] as const),
  ...[status.UNAUTHENTICATED, status.PERMISSION_DENIED].map(
    (code) => [code, 'gateway-unreachable: the gateway does not let this caller in: told so'] as const,
  ),
]);

/** Asks a person about every command, then ends its stream with the status in its only argument. */
async function refusingRelay() {
  const resumed: string[] = [];
  const relay = await startRelay({
    execute: (_caller, { command }, channel) => {
      void channel.send(pending);
      const code = statuses.find((each) => String(each) === command.args[0]) ?? status.INTERNAL;
      return Promise.reject(new CallRefused(code, 'told so'));
    },
    resume: async (_caller, { executionId }) => {
      resumed.push(executionId);
      return { kind: 'exited', code: 7, signal: 0 };
    },
  });
  return { relay, resumed };
}

test('while a person is asked a gateway that says no is believed, and one that is lost is asked again', async () => {
  const { relay, resumed } = await refusingRelay();
  await using _relay = relay;
  const typed = fc.uniqueArray(fc.constantFrom(...statuses), { minLength: statuses.length });
  await fc.assert(
    fc.asyncProperty(typed, async (codes) => {
      resumed.length = 0;
      const shims = codes.map((code) => relay.shim().request({ ...version1, args: [String(code)] }));
      await Promise.all(shims.map((shim) => shim.closed));
      const ends = shims.map((shim) => shim.output(2) || shim.exit);
      expect(ends).toEqual(
        codes.map((code) => (refusals.has(code) ? `clawrden: ${refusals.get(code)}\n` : [7, 0])),
      );
      expect(resumed).toHaveLength(codes.length - refusals.size);
    }),
    { numRuns: 2 },
  );
});

test.each([status.INVALID_ARGUMENT, status.PERMISSION_DENIED])(
  'the command line says of status %i what a shim does',
  async (code) => {
    const { gateway, args } = await gatewayWith((_request, channel) => {
      void channel.send(pending);
      return Promise.reject(new CallRefused(code, 'told so'));
    });
    await using _gateway = gateway;
    const { stderr } = await clawrden([...args, '--', 'npm']);
    expect(stderr).toBe(`clawrden: ${refusals.get(code)}\n`);
  },
);
