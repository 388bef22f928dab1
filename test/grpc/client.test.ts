import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import type { Admission } from '../../gateway/ports/authentication.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { admin, startTestGateway } from './gateway.ts';

const { listHosts } = WardenServiceService;

test('a person whose rights changed is refused over the connection of before, and served over the next', async () => {
  await using gateway = await startTestGateway();
  const client = await gateway.connect(admin);
  await client.call(listHosts, { pageToken: '' });
  gateway.people.set('admin', 'viewer');
  await expect(client.call(listHosts, { pageToken: '' })).rejects.toMatchObject({
    code: status.UNAUTHENTICATED,
  });
  const code = () =>
    client.call(listHosts, { pageToken: '' }).then(
      () => status.OK,
      (error: { code: number }) => error.code,
    );
  await expect.poll(code, { timeout: 10_000 }).toBe(status.OK);
});

test('calls that start together share one token', async () => {
  await using gateway = await startTestGateway();
  let issued = 0;
  const { admit } = gateway.authentication;
  Object.assign(gateway.authentication, {
    admit: (der: Uint8Array) => {
      const { value: admission } = admit(der) as { value: Admission };
      const issueToken = () => {
        issued += 1;
        return admission.issueToken();
      };
      return { value: { ...admission, issueToken } };
    },
  });
  const client = await gateway.connect(admin);
  await Promise.all(Array.from({ length: 20 }, () => client.call(listHosts, { pageToken: '' })));
  expect(issued).toBe(1);
});

test('if no gateway listens, calls fail, waiting ends in time, and a client closes', async () => {
  await using gateway = await startTestGateway();
  const identityDir = await gateway.identity(admin);
  const client = await connectGateway({ address: 'localhost:1', identityDir });
  expect(await client.waitForReady(300)).toBe(false);
  await expect(client.call(listHosts, { pageToken: '' })).rejects.toMatchObject({ code: status.UNAVAILABLE });
  client.close();
});

test('a client comes back to a gateway that was away', async () => {
  await using first = await startTestGateway();
  const identityDir = await first.identity(admin);
  const client = await connectGateway({ address: first.address, identityDir });
  await client.call(listHosts, { pageToken: '' });
  await first.restart();
  expect(await client.waitForReady(10_000)).toBe(true);
  await client.call(listHosts, { pageToken: '' });
  client.close();
});

test('a gateway is reached by its address, too, if that is in its certificate', async () => {
  await using gateway = await startTestGateway();
  await using nameOnly = await startTestGateway({ names: ['localhost'] });
  const warnings: Error[] = [];
  const listener = (warning: Error) => warnings.push(warning);
  process.on('warning', listener);
  const reach = async ({ port, identity }: typeof gateway) => {
    const address = `127.0.0.1:${port}`;
    const client = await connectGateway({ address, identityDir: await identity(admin) });
    return await client.call(listHosts, { pageToken: '' }).finally(() => client.close());
  };
  expect(await reach(gateway)).toEqual({ hosts: [], nextPageToken: '' });
  await expect(reach(nameOnly)).rejects.toMatchObject({ code: status.UNAVAILABLE });
  process.off('warning', listener);
  expect(warnings).toEqual([]);
});
