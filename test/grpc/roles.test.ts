import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOf } from '../../gateway/grpc/calls/authenticate.ts';
import { type Role, roles } from '../../gateway/ports/principal.ts';
import { callRules } from '../../gateway/principals/call-rules.ts';
import { describeCalls } from '../../gateway/principals/describe-calls.ts';
import { unaryCall } from '../../src/gateway-client/unary-call.ts';
import { ExecutionServiceService } from '../../src/gen/clawrden/v1/execution.ts';
import { RelayServiceService } from '../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';
import type { PeerName } from '../../src/pki/peer-name.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';

// Enroll has a listener of its own, on which nobody shows a certificate.
const served = [
  ...[ExecutionServiceService, RelayServiceService, WardenServiceService].flatMap((service) =>
    Object.values(service).map(({ path }) => callOf(path)),
  ),
].filter((call) => call !== 'RelayService/Enroll');

// Rows with a path are those of the HTTP door; test/http has them.
const overGrpc = [...callRules.keys()].filter((call) => !call.includes(' /'));

test('P17: every call that is served is in the table of roles, and the page has that table', () => {
  const ours = overGrpc.filter((call) => !call.startsWith('grpc.'));
  expect(ours.toSorted()).toEqual(served.toSorted());
  const page = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8');
  expect(page).toContain(`\n${describeCalls()}\n`);
});

let gateway: TestGateway;
beforeAll(async () => {
  const people = Object.fromEntries(roles.filter((role) => role !== 'relay').map((role) => [role, role]));
  gateway = await startTestGateway({
    people,
    programs: { orchestrator: 'orchestrator', viewer: 'viewer' },
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const asItIs = (bytes: Buffer) => bytes;
const words = /this needs the role|nobody may make this call/;

/** Whether the call gets past the table; what it would do is another test's. */
async function isRefused(client: Client, metadata: Metadata, call: string): Promise<boolean> {
  const path = call.startsWith('grpc.') ? `/${call}` : `/clawrden.v1.${call}`;
  return new Promise((resolve) => {
    const stream = client.makeBidiStreamRequest(path, asItIs, asItIs, metadata);
    const end = (refused: boolean) => {
      clearTimeout(timer);
      resolve(refused);
      stream.cancel();
    };
    stream.on('data', () => end(false));
    stream.on('error', ({ code, details }: ServiceError) =>
      end(code === status.PERMISSION_DENIED && words.test(details)),
    );
    stream.write(Buffer.alloc(0));
    const timer = setTimeout(() => end(false), 5000);
    stream.end();
  });
}

/** The connection of one principal, with its token; a relay's synchronizes. */
async function connect(role: Role, kind: PeerName['kind']): Promise<{ client: Client; metadata: Metadata }> {
  const identity = await gateway.identity({ kind, name: role === 'relay' ? 'host-1' : role });
  const { authority, certificate, key } = await readIdentity(identity);
  const client = new Client(gateway.address, credentials.createSsl(authority, key, certificate));
  const { token } = await unaryCall(client, RelayServiceService.token, {});
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  if (role !== 'relay') return { client, metadata };
  const path = RelayServiceService.synchronize.path;
  const stream = client.makeBidiStreamRequest(path, asItIs, asItIs, metadata);
  stream.on('error', () => {});
  await once(stream, 'data');
  return { client, metadata };
}

const callers: readonly (readonly [PeerName['kind'], Role])[] = [
  ['relay', 'relay'],
  ['program', 'orchestrator'],
  ['program', 'viewer'],
  ...roles
    .filter((role) => role !== 'relay' && role !== 'orchestrator')
    .map((role) => ['person', role] as const),
];

test.each(callers)(
  'A-68 P17: a %s of role %s may make exactly the calls of the table',
  async (kind, role) => {
    const { client, metadata } = await connect(role, kind);
    // A second stream of a relay would end its connection.
    const isOpen = (call: string) => role === 'relay' && call === 'RelayService/Synchronize';
    const calls = overGrpc.filter((call) => !isOpen(call));
    const refused = await Promise.all(
      calls.map(async (call) => ((await isRefused(client, metadata, call)) ? [call] : [])),
    );
    const expected = calls.filter((call) => !callRules.get(call)?.roles.includes(role));
    expect(refused.flat().toSorted()).toEqual(expected.toSorted());
    client.close();
  },
);
