import type { Logger } from 'pino';
import type { AgentConfig, GatewayConfig } from '../src/config/gateway-config.ts';
import type { Faults } from '../src/faults.ts';
import type { NextPiece } from '../src/next-piece.ts';
import { createAuthentication } from './auth/create-authentication.ts';
import { createEnrolment } from './auth/create-enrolment.ts';
import type { GatewayIdentity } from './auth/gateway-identity.ts';
import { type Browsers, openBrowsers } from './browsers/open-browsers.ts';
import { pageUrl } from './browsers/page-url.ts';
import { createLookTurns } from './connections/look-turns.ts';
import { createOpenRequests } from './connections/open-requests.ts';
import type { Execute, Resume } from './execute.ts';
import type { OfferHome, OfferLane } from './grpc/carry.ts';
import { startEnrolmentServer } from './grpc/start-enrolment-server.ts';
import { startGrpcServer } from './grpc/start-grpc-server.ts';
import { startHttpServer } from './http/start-http-server.ts';
import type { Authorities } from './keys/authorities.ts';
import { createMcpDoor } from './mcp/create-mcp-door.ts';
import type { Enrolment } from './ports/authentication.ts';
import type { Detached } from './ports/detached.ts';
import type { EventFeed } from './ports/events.ts';
import type { IdentityProvider } from './ports/identity-provider.ts';
import type { McpDoor } from './ports/mcp-door.ts';
import type { ProviderSignIn } from './ports/provider-sign-in.ts';
import type { RelayRegistry } from './ports/relay-state.ts';
import type { WardenApi } from './ports/warden-api.ts';
import type { Principals } from './principals/open-principals.ts';
import { createBrowserSignIn } from './signed-in/browser-sign-in.ts';
import { createProviderSignIn } from './signed-in/provider-sign-in.ts';
import { connectionLimits } from './start/connection-limits.ts';
import type { Doors } from './start/doors.ts';
import type { Records } from './start/open-records.ts';
import type { ReservedPorts } from './start/reserve-ports.ts';

const closeMs = 2_000;

/** What the gateway's doors lead to. */
export interface Served {
  readonly execute: Execute;
  readonly resume: Resume;
  readonly warden: WardenApi;
  readonly events: EventFeed;
  readonly detached: Detached;
  readonly relays: RelayRegistry;
  readonly offerHome: OfferHome;
  readonly offerWayOut: (...offered: [...Parameters<OfferLane>, mcp: McpDoor]) => ReturnType<OfferLane>;
  readonly principals: Principals;
  /** By which people sign in; undefined if gateway.yaml names none. */
  readonly provider: IdentityProvider | undefined;
  readonly authorities: Authorities;
  readonly doors: Doors;
  readonly onMoved: (principal: string) => void;
  readonly ports: ReservedPorts;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly nextPiece: NextPiece;
  readonly faults: Faults;
  readonly log: Logger;
}

interface OpenPorts {
  readonly grpc: number;
  readonly enroll: number;
  readonly http: number;
  readonly metrics?: number;
}

function providerSignIn(
  { provider, principals }: Served,
  enrolment: Enrolment,
  { sessions }: Browsers,
): ProviderSignIn | undefined {
  const { signIns } = principals;
  if (provider === undefined || signIns === undefined) return undefined;
  const browser = createBrowserSignIn({ provider, sessions, principals });
  return createProviderSignIn({ provider, signIns, enrolment, browser });
}

/** Opens every door, at the ports that were reserved for them. */
export async function startServers(
  { grpc, enroll, http, limits }: GatewayConfig,
  identity: GatewayIdentity,
  { tokens, audit, keys }: Records,
  served: Served,
): Promise<{ ports: OpenPorts; close: () => Promise<void> }> {
  const { agents, principals, faults, log } = served;
  const { revocations, people, apiTokens, findPerson } = principals;
  const agentsOf = (relay: string) =>
    [...agents().values()].filter((agent) => agent.relay === relay).map(({ name }) => name);
  const { authorities, doors, onMoved } = served;
  const signing = { ...identity, keys, authorities };
  const authentication = createAuthentication({ identity: signing, authorities, onMoved, ...principals });
  const enrolment = createEnrolment({
    ...{ identity: signing, agentsOf, people, findPerson, apiTokens, tokens, revocations, audit },
  });
  const bounds = connectionLimits(limits);
  await served.ports.release();
  const browsers = openBrowsers(audit, principals);
  const requests = createOpenRequests(served.nextPiece);
  const looks = createLookTurns(served.nextPiece);
  const mcp = createMcpDoor({ ...served, requests });
  let grpcPort = grpc.listen.port;
  const third = await startHttpServer({
    http,
    tls: doors.http,
    limits: { ...bounds.http, requestsPerSecond: limits.requestsPerSecond },
    tokens: principals.apiTokens,
    enrolment,
    ...{ providerSignIn: providerSignIn(served, enrolment, browsers), grpcPort: () => grpcPort },
    ...{ ...browsers, ...served, mcp, requests, looks },
  });
  const first = await startGrpcServer({
    listen: grpc.listen,
    authentication,
    enrolment,
    limits: bounds.grpc,
    signIn: { codes: browsers.codes, url: pageUrl(http, third.port) },
    ...{ ...served, looks },
    offerWayOut: (relay, agent, lane) => served.offerWayOut(relay, agent, lane, mcp),
    authorities: doors.grpc(authorities),
  });
  grpcPort = first.port;
  const second = await startEnrolmentServer({
    listen: enroll.listen,
    authorities: doors.grpc(authorities),
    ...{ enrolment, grpcPort: first.port, faults, log },
  });
  return {
    ports: {
      grpc: first.port,
      enroll: second.port,
      http: third.port,
      ...(third.metricsPort !== undefined && { metrics: third.metricsPort }),
    },
    close: async () => {
      await Promise.all([third.close(closeMs), second.close(closeMs), first.close(closeMs)]);
    },
  };
}
