import { once } from 'node:events';
import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import { memoryInUse } from '../fixtures/memory-in-use.ts';
import { admin, startTestGateway } from './gateway.ts';
import { next, openRunTimeSession } from './run-time-session.ts';

const mebibyte = 1024 * 1024;
const watchPath = 'grpc.health.v1.Health/Watch';
const reflectionPath = 'grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

test('a watch says how its service is, at once and when the gateway leaves; of an unknown one, that it is unknown', async () => {
  await using gateway = await startTestGateway();
  using session = await openRunTimeSession(gateway.address, await gateway.identity(admin));
  const { call, stream, metadata } = session;
  const watch = (service: string) => {
    const watching = stream(watchPath, metadata);
    watching.on('error', () => {});
    watching.write({ service });
    watching.end();
    return watching;
  };
  const [known, unknown] = [watch('clawrden.v1.ExecutionService'), watch('nobody.Service')];
  expect(await Promise.all([next(known), next(unknown)])).toEqual([
    { status: 'SERVING' },
    { status: 'SERVICE_UNKNOWN' },
  ]);
  expect(await call('grpc.health.v1.Health/List', {}, metadata)).toMatchObject({
    statuses: { '': { status: 'SERVING' }, 'clawrden.v1.WardenService': { status: 'SERVING' } },
  });
  const check = call('grpc.health.v1.Health/Check', { service: 'nobody.Service' }, metadata);
  await expect(check).rejects.toMatchObject({ code: status.NOT_FOUND });
  const told = next(known);
  const closing = gateway.close(500);
  expect(await told).toEqual({ status: 'NOT_SERVING' });
  await closing;
});

test('A-320 P20: of the names that a caller watches nothing stays when its calls are over', async () => {
  await using gateway = await startTestGateway();
  using session = await openRunTimeSession(gateway.address, await gateway.identity(admin));
  const watch = async (service: string) => {
    const watching = session.stream(watchPath, session.metadata);
    const answer = new Promise<unknown>((resolve) => {
      watching.on('data', resolve).on('error', resolve);
    });
    watching.write({ service });
    watching.end();
    const heard = await answer;
    watching.cancel();
    return heard;
  };
  await watch('first');
  const before = memoryInUse().heapUsed;
  for (let count = 0; count < 40; count += 1) {
    const heard = await watch(`${count}`.repeat(mebibyte / 2));
    expect(heard).toMatchObject({ code: status.INVALID_ARGUMENT });
  }
  await expect.poll(() => memoryInUse().heapUsed - before).toBeLessThan(10 * mebibyte);
});

test('A-321 P20: questions to reflection wait until their answers are taken', async () => {
  await using gateway = await startTestGateway();
  const folder = await gateway.identity(admin);
  const client = await connectGateway({ address: gateway.address, identityDir: folder });
  const { token } = await client.call(RelayServiceService.token, {});
  const { certificate: cert, key } = await readIdentity(folder);
  const options = { cert, key, rejectUnauthorized: false, settings: { initialWindowSize: 0 } };
  const session = connect(`https://${gateway.address}`, options);
  session.on('error', () => {});
  const open = () =>
    session
      .request({
        ...{ ':method': 'POST', ':path': `/${reflectionPath}`, te: 'trailers' },
        ...{ 'content-type': 'application/grpc', authorization: `Bearer ${token}` },
      })
      .on('error', () => {});
  const first = open();
  first.write(Buffer.alloc(5));
  await once(first, 'response');
  await client.call(WardenServiceService.listHosts, { pageToken: '' });
  const bytes = Buffer.alloc(mebibyte);
  const before = memoryInUse().heapUsed;
  const calls = Array.from({ length: 3 }, () => open());
  for (const call of calls) call.write(bytes);
  await sleep(1000);
  await client.call(WardenServiceService.listHosts, { pageToken: '' });
  expect(memoryInUse().heapUsed - before).toBeLessThan(20 * mebibyte);
  session.destroy();
  client.close();
});

test('a question to reflection that is far too long is refused', async () => {
  await using gateway = await startTestGateway();
  using session = await openRunTimeSession(gateway.address, await gateway.identity(admin));
  const asking = session.stream(reflectionPath, session.metadata);
  asking.resume();
  asking.write({ file_containing_symbol: 'x'.repeat(5000) });
  expect((await once(asking, 'error'))[0]).toMatchObject({ code: status.INTERNAL });
});
