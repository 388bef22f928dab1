import type { Logger } from 'pino';
import type { AgentConfig, GatewayConfig } from '../src/config/gateway-config.ts';
import type { Faults } from '../src/faults.ts';
import { createAuthentication } from './auth/create-authentication.ts';
import { createEnrolment } from './auth/create-enrolment.ts';
import type { GatewayIdentity } from './auth/gateway-identity.ts';
import type { Execute, Resume } from './execute.ts';
import type { OfferHome } from './grpc/carry.ts';
import { startEnrolmentServer } from './grpc/start-enrolment-server.ts';
import { startGrpcServer } from './grpc/start-grpc-server.ts';
import type { RelayRegistry } from './ports/relay-state.ts';
import type { WardenApi } from './ports/warden-api.ts';
import type { Principals } from './principals/open-principals.ts';
import { connectionLimits } from './start/connection-limits.ts';
import type { Records } from './start/open-records.ts';
import type { ReservedPorts } from './start/reserve-ports.ts';

const closeMs = 2_000;

/** What the gateway's doors lead to. */
export interface Served {
  readonly execute: Execute;
  readonly resume: Resume;
  readonly warden: WardenApi;
  readonly relays: RelayRegistry;
  readonly offerHome: OfferHome;
  readonly principals: Principals;
  readonly ports: ReservedPorts;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly faults: Faults;
  readonly log: Logger;
}

/** Opens every door, at the ports that were reserved for them. */
export async function startServers(
  { grpc, enroll, limits }: GatewayConfig,
  identity: GatewayIdentity,
  { tokens, audit }: Records,
  served: Served,
): Promise<{ ports: { grpc: number; enroll: number }; close: () => Promise<void> }> {
  const { server, authority } = identity;
  const { agents, principals, faults, log } = served;
  const { revocations } = principals;
  const agentsOf = (relay: string) =>
    [...agents().values()].filter((agent) => agent.relay === relay).map(({ name }) => name);
  const authentication = createAuthentication({ identity, ...principals });
  const enrolment = createEnrolment({ identity, agentsOf, tokens, revocations, audit });
  await served.ports.release();
  const first = await startGrpcServer({
    listen: grpc.listen,
    server,
    authority: authority.certificate,
    authentication,
    enrolment,
    limits: connectionLimits(limits),
    ...served,
  });
  const second = await startEnrolmentServer({
    listen: enroll.listen,
    server,
    enrolment,
    grpcPort: first.port,
    faults,
    log,
  });
  return {
    ports: { grpc: first.port, enroll: second.port },
    close: async () => {
      await Promise.all([second.close(closeMs), first.close(closeMs)]);
    },
  };
}
