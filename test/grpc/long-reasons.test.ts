import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { admin, startTestGateway } from './gateway.ts';

/** Every call of people with a reason, as it is without anything in it. */
const reasoned = Object.values(WardenServiceService).filter(
  ({ responseStream, requestDeserialize }) =>
    !responseStream && 'reason' in requestDeserialize(Buffer.alloc(0)),
);

test('A-597 P20: a reason has 1024 characters at most, whatever the call', async () => {
  await using gateway = await startTestGateway();
  const { address } = gateway;
  const client = await connectGateway({ address, identityDir: await gateway.identity(admin) });
  const refused: string[] = [];
  for (const call of reasoned)
    for (const length of [1024, 1025]) {
      const request = { ...call.requestDeserialize(Buffer.alloc(0)), reason: 'x'.repeat(length) };
      const error = await client
        .call(call as never, request as never)
        .then(() => undefined)
        .catch(({ code, details }: { code: number; details: string }) => ({ code, details }));
      if (error?.details.includes('reason has more than')) {
        expect([length, error.code]).toEqual([1025, status.INVALID_ARGUMENT]);
        refused.push(call.path);
      }
    }
  expect(refused).toEqual(reasoned.map(({ path }) => path));
  expect(refused.length).toBeGreaterThan(12);
  client.close();
});
