import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Execute, Resume } from '../../gateway/execute.ts';
import type { OfferLane } from '../../gateway/grpc/carry.ts';
import { startsAtOnce } from '../../shim/relay/agents/serve-agent.ts';
import { createCallTurns } from '../../shim/relay/channel/call-turns.ts';
import { openAgentEngine } from '../../shim/relay/execution/agent-engine.ts';
import { AgentListener } from '../../shim/relay/listening/agent-listener.ts';
import { clientLog } from '../../shim/relay/listening/client-log.ts';
import { createParseTurns } from '../../shim/relay/listening/request/parse-turns.ts';
import { loadPeerCredentials } from '../../shim/relay/listening/socket/peer-credentials.ts';
import { createDoors, type Doors } from '../../shim/relay/way-out/doors.ts';
import type { Identity } from '../../src/command.ts';
import type { RequestLimits } from '../../src/config/relay-config.ts';
import { Gate } from '../../src/gate.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { connectRelay } from '../grpc/connect-relay.ts';
import { relay as relayName, startTestGateway, type TestGateway } from '../grpc/gateway.ts';
import { type Network, networkTo } from './network.ts';
import { ShimClient } from './shim-client.ts';

/**
 * One agent's listener in this process, in front of the gateway's real gRPC side; the test decides what runs a
 * command.
 */
export interface TestRelay extends AsyncDisposable {
  readonly gateway: TestGateway;
  /** Between the relay and the gateway. */
  readonly network: Network;
  readonly link: GatewayClient;
  readonly doors: Doors;
  readonly listener: AgentListener;
  readonly socket: string;
  /** Another agent's socket, at the same relay. */
  readonly neighbour: string;
  readonly logged: Record<string, unknown>[];
  readonly shim: () => ShimClient;
}

export interface RelayOptions {
  readonly execute?: Execute;
  readonly resume?: Resume;
  readonly users?: readonly [Identity, ...Identity[]];
  readonly peer?: Identity;
  readonly limits?: RequestLimits;
  readonly offerWayOut?: OfferLane;
  /** The agent host's engine; it does not exist if absent. */
  readonly engine?: string;
}

/** The user of the processes that these tests start. */
export const user: Identity = { uid: 1000, gid: 1000 };

export async function startRelay(options: RelayOptions = {}): Promise<TestRelay> {
  const gateway = await startTestGateway({
    ...(options.execute && { execute: options.execute }),
    ...(options.resume && { resume: options.resume }),
    ...(options.offerWayOut && { offerWayOut: options.offerWayOut }),
  });
  const network = await networkTo(gateway.port);
  const identityDir = await gateway.identity(relayName);
  const link = await connectRelay({ address: `localhost:${network.port}`, identityDir });
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-relay-'));
  const socket = join(dir, 'sockets/coder/warden.sock');
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line) => logged.push(JSON.parse(line)) });
  const doors = createDoors();
  const { of } = loadPeerCredentials();
  const turn = createParseTurns();
  const callTurns = createCallTurns();
  const listenerOf = (agent: string, path: string) =>
    new AgentListener({
      agent: { name: agent, socket: path, container: { name: 'none' }, users: options.users ?? [user] },
      link,
      engine: openAgentEngine(options.engine ?? 'unix:///nonexistent/docker.sock'),
      mirrors: new Set(),
      starts: new Gate(() => startsAtOnce),
      limits: options.limits ?? { requestsPerSecond: 500, bytesPerSecond: 4 * 1024 * 1024 },
      turn,
      callTurns,
      // The tests run as root, which may not ask for commands: the test replaces the kernel's answer by a user.
      peerOf: (connected) => ({ ...of(connected), ...(options.peer ?? user) }),
      guardSocket: () => {},
      offerWayOut: doors.offer,
      ...clientLog(log),
    });
  const listener = listenerOf('coder', socket);
  const neighbour = join(dir, 'sockets/other/warden.sock');
  const other = listenerOf('other', neighbour);
  await other.listen();
  await listener.listen();
  return {
    gateway,
    network,
    link,
    doors,
    listener,
    socket,
    neighbour,
    logged,
    shim: () => new ShimClient(socket),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([listener.drain(), other.drain()]);
      link.close();
      await network[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
