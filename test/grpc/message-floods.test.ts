import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Channel, FromCaller } from '../../gateway/ports/channel.ts';
import { messagesPerSecond } from '../../src/crumb-budgets.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { ExecuteRequest } from '../../src/gen/clawrden/v1/execution.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import { admin, relay, startTestGateway } from './gateway.ts';

type Message = NonNullable<ExecuteRequest['message']>;

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const floodMs = isLong ? 5000 : 1000;
const streams = 4;

const command = {
  ...{ tool: 'ls', args: [], cwd: '/app', env: [], umask: 0o22, stdio: ['pipe', 'pipe', '=1'] },
  ...{ ignored: [], blocked: [], terminal: undefined, version: 1 },
};
const start = (): Message => ({
  $case: 'start',
  value: {
    ...{ executionId: newExecutionId(), agent: 'coder', command, hostLabels: [] },
    ...{ identity: undefined, refusal: undefined },
  },
});

/** Messages that cost a relay little, because they need no credit. */
const crumb: fc.Arbitrary<Message> = fc.oneof(
  fc.constantFrom(1, 2, 15, 18).map((value): Message => ({ $case: 'signal', value })),
  fc.nat(500).map((cols): Message => ({ $case: 'resize', value: { cols, rows: 24 } })),
  fc.constantFrom(1, 2).map((value): Message => ({ $case: 'closed', value })),
  fc.constant<Message>({ $case: 'stdin', value: Buffer.alloc(0) }),
  fc.constant<Message>({ $case: 'stdinEnd', value: {} }),
);

function encoded(message: Message): Buffer {
  const body = ExecuteRequest.encode({ message }).finish();
  const header = Buffer.alloc(5);
  header.writeUInt32BE(body.length, 1);
  return Buffer.concat([header, body]);
}

test('P20, P22: whatever small messages a relay sends within its streams, each agent has so many a second, and others are served', async () => {
  const heard: FromCaller[] = [];
  let listening = 0;
  const listen = async (_caller: unknown, _request: unknown, channel: Channel) => {
    listening += 1;
    channel.listen((input) => void heard.push(input));
    await once(channel.gone, 'abort');
    return { kind: 'exited', code: 0, signal: 0 } as const;
  };
  await using gateway = await startTestGateway({ execute: listen });
  const folder = await gateway.identity(relay);
  const client = await connectGateway({ address: gateway.address, identityDir: folder });
  const { token } = await client.call(RelayServiceService.token, {});
  client.close();
  const other = await gateway.connect(admin);
  const { certificate: cert, key } = await readIdentity(folder);
  const session = connect(`https://${gateway.address}`, { cert, key, rejectUnauthorized: false });
  const flood = fc.sample(crumb, { numRuns: 500, seed: isLong ? Date.now() : 20_261_122 });
  // Thousands of messages in one frame: that costs the sender almost nothing.
  const bytes = Buffer.concat(Array.from({ length: 50 }, () => Buffer.concat(flood.map(encoded))));
  const request = (path: string) => {
    const call = session.request({
      ...{ ':method': 'POST', ':path': `/clawrden.v1.${path}`, te: 'trailers' },
      ...{ 'content-type': 'application/grpc', authorization: `Bearer ${token}` },
    });
    return call.on('error', () => {}).resume();
  };
  request('RelayService/Synchronize');
  const calls = Array.from({ length: streams }, () => {
    const call = request('ExecutionService/Execute');
    call.write(encoded(start()));
    return call;
  });
  await expect.poll(() => listening).toBe(streams);
  const began = performance.now();
  for (const call of calls) call.write(bytes);
  while (performance.now() - began < floodMs) {
    await other.call(WardenServiceService.listHosts, { pageToken: '' });
    await sleep(1);
  }
  // Twice as many at once.
  const most = messagesPerSecond * (2 + (performance.now() - began) / 1000);
  expect(heard.length).toBeLessThan(most + streams);
  expect(heard.length).toBeGreaterThan(messagesPerSecond);
  for (const call of calls) call.close(constants.NGHTTP2_CANCEL);
  session.destroy();
});

test('A-322 P20, P22: of the reports that a relay sends without end few are taken, and others are served', async () => {
  let states = 0;
  const state = () => {
    states += 1;
    return { lockdown: false, agents: [] };
  };
  await using gateway = await startTestGateway({ state });
  const folder = await gateway.identity(relay);
  const client = await connectGateway({ address: gateway.address, identityDir: folder });
  const { token } = await client.call(RelayServiceService.token, {});
  client.close();
  const other = await gateway.connect(admin);
  const { certificate: cert, key } = await readIdentity(folder);
  const session = connect(`https://${gateway.address}`, { cert, key, rejectUnauthorized: false });
  session.on('error', () => {});
  const call = session.request({
    ...{ ':method': 'POST', ':path': RelayServiceService.synchronize.path, te: 'trailers' },
    ...{ 'content-type': 'application/grpc', authorization: `Bearer ${token}` },
  });
  call.on('error', () => {}).resume();
  await once(call, 'response');
  const before = states;
  // Each five bytes are a report that says nothing.
  call.write(Buffer.alloc(5 * 1024 * 1024));
  const began = performance.now();
  while (performance.now() - began < floodMs)
    await other.call(WardenServiceService.listHosts, { pageToken: '' });
  const seconds = (performance.now() - began) / 1000;
  expect(states - before).toBeGreaterThan(0);
  expect(states - before).toBeLessThan(2 + 50 * seconds);
  expect(call.writableLength).toBeGreaterThan(0);
  expect(call.closed).toBe(false);
  session.destroy();
});
