import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { AuditLog } from '../../gateway/audit/audit-log.ts';
import { createAuthentication } from '../../gateway/auth/create-authentication.ts';
import { createEnrolment } from '../../gateway/auth/create-enrolment.ts';
import { createBrowserSessions } from '../../gateway/browsers/browser-sessions.ts';
import { createSignInCodes } from '../../gateway/browsers/sign-in-codes.ts';
import type { ConnectionLimits } from '../../gateway/connections/bounds.ts';
import { createLookTurns } from '../../gateway/connections/look-turns.ts';
import { createRelays, type Relays, type RelaysOptions } from '../../gateway/control/relays.ts';
import { openRevocations, type Revocations } from '../../gateway/control/revocations.ts';
import type { Execute, Resume } from '../../gateway/execute.ts';
import type { RelayCallRates } from '../../gateway/grpc/calls/relay-call-rates.ts';
import type { OfferHome, OfferLane } from '../../gateway/grpc/carry.ts';
import type { Pace } from '../../gateway/grpc/front/pace.ts';
import { startEnrolmentServer } from '../../gateway/grpc/start-enrolment-server.ts';
import { startGrpcServer } from '../../gateway/grpc/start-grpc-server.ts';
import { createAuthorities, type RotatedAuthorities } from '../../gateway/keys/authorities.ts';
import { createKeyRing, type KeyRing } from '../../gateway/keys/key-ring.ts';
import type { Authentication, Enrolment } from '../../gateway/ports/authentication.ts';
import type { KnownPerson, PersonRole } from '../../gateway/ports/known-principals.ts';
import { principalName, type Role, type Scope } from '../../gateway/ports/principal.ts';
import type { RelayState } from '../../gateway/ports/relay-state.ts';
import type { WardenApi } from '../../gateway/ports/warden-api.ts';
import { createSees } from '../../gateway/principals/sees.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { openEnrolmentTokens } from '../../gateway/store/enrolment-tokens.ts';
import { createFaults, type Faults } from '../../src/faults.ts';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { createNextPiece, type NextPiece } from '../../src/next-piece.ts';
import { failure } from '../../src/outcome.ts';
import { type Credentials, makeAuthority, type Validity } from '../../src/pki/authority.ts';
import { fingerprintOfPem } from '../../src/pki/fingerprint.ts';
import { identityFiles, readIdentity } from '../../src/pki/identity-files.ts';
import { issueClientCertificate, issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { makeKey } from '../../src/pki/keys.ts';
import type { PeerName } from '../../src/pki/peer-name.ts';
import { connectRelay } from './connect-relay.ts';

/** The gateway's gRPC side with its real identity and TLS; the test decides what runs a command. */
export interface TestGateway extends AsyncDisposable {
  readonly address: string;
  readonly port: number;
  readonly enrollAddress: string;
  readonly authority: Credentials;
  readonly authorities: RotatedAuthorities;
  readonly authentication: Authentication;
  readonly keys: KeyRing;
  readonly enrolment: Enrolment;
  readonly relays: Relays;
  readonly revocations: Revocations;
  readonly faults: Faults;
  readonly people: Map<string, Role>;
  readonly dir: string;
  /**
   * A folder with ca.pem, cert.pem and key.pem. This gateway's authority signs the certificate, unless another one is
   * given.
   */
  readonly identity: (peer: PeerName, more?: IdentityOptions) => Promise<string>;
  /** If it is a relay, a relay that synchronizes as long as the client is open. */
  readonly connect: (peer: PeerName) => Promise<GatewayClient>;
  readonly revoke: (identityDir: string) => Promise<void>;
  readonly close: (graceMs: number) => Promise<void>;
  /** Stops, and starts again on the same port. */
  readonly restart: () => Promise<void>;
}

export interface IdentityOptions {
  readonly authority?: Credentials;
  readonly period?: Validity;
}

export interface GatewayOptions {
  readonly execute?: Execute;
  /** If absent, nothing can be resumed. */
  readonly resume?: Resume;
  readonly warden?: Partial<WardenApi>;
  /** The wanted state of relays; `relays.tellAll` sends it again. */
  readonly state?: () => RelayState;
  readonly onIncident?: RelaysOptions['onIncident'];
  /** If absent, no agent's workspace is followed. */
  readonly offerHome?: OfferHome;
  readonly offerWayOut?: OfferLane;
  /** The role of each person and program; if absent, the person `admin` is the only one. */
  readonly people?: Readonly<Record<string, Role>>;
  readonly programs?: Readonly<Record<string, Role>>;
  /** The scope of each person; if absent, all agents. */
  readonly scopes?: Readonly<Record<string, Scope>>;
  readonly names?: readonly string[];
  readonly limits?: ConnectionLimits;
  /** Of both listeners. */
  readonly pace?: Pace;
  readonly rates?: RelayCallRates;
  readonly nextPiece?: NextPiece;
  readonly onLog?: (line: string) => void;
}

export const relay = { kind: 'relay', name: 'host-7' } as const;
export const admin = { kind: 'person', name: 'admin' } as const;

export async function startTestGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-grpc-'));
  const authority = await makeAuthority('Test CA');
  const server = await issueServerCertificate(authority, options.names ?? ['localhost', '127.0.0.1']);
  const revoked = new Set<string>();
  const people = new Map<string, Role>(Object.entries(options.people ?? { admin: 'admin' as const }));
  const { privateKey: signingKey } = generateKeyPairSync('ed25519');
  const chain = { certificate: server.certificate + authority.certificate, key: server.key };
  const authorities = createAuthorities({ authority, server: chain });
  const identity = { gatewayId: 'gw-1', keys: createKeyRing(signingKey), authorities };
  const database = await openDatabase(join(dir, 'clawrden.db'), 'crash');
  const audit = { append: async () => {} } as unknown as AuditLog;
  const revocations = await openRevocations(database, audit);
  const programOf = (name: string) => {
    const role = options.programs?.[name];
    return role && { right: { role, scope: {} }, until: undefined };
  };
  const authentication = createAuthentication({
    identity,
    authorities,
    personOf: (name) => {
      const role = people.get(name);
      return role && { role, scope: options.scopes?.[name] ?? {} };
    },
    programOf,
    isRevoked: (print, peer) => revoked.has(print) || revocations.isRevoked(print, principalName(peer)),
    onRevoked: revocations.watch,
  });
  const enrolment = createEnrolment({
    identity,
    agentsOf: (name) => (name.startsWith('host-') ? ['coder'] : []),
    people: { noteLetIn: async () => {} },
    findPerson: (name) => personNamed(name, people.get(name)),
    apiTokens: { programOf },
    tokens: await openEnrolmentTokens(database),
    revocations,
    audit,
  });
  const relays = createRelays({
    stateFor: options.state ?? (() => ({ lockdown: false, agents: [] })),
    onIncident: (incident, name, text) => options.onIncident?.(incident, name, text),
  });
  const sessions = createBrowserSessions(audit.append);
  const log = pino({ level: 'info' }, { write: (line) => options.onLog?.(line) });
  const faults = createFaults(log);
  const pace = options.pace === undefined ? {} : { pace: options.pace };
  const rates = options.rates === undefined ? {} : { rates: options.rates };
  const common = { listen: { host: '127.0.0.1', port: 0 }, enrolment, faults, log, ...pace, ...rates };
  const serve = async (port: number) =>
    await startGrpcServer({
      ...common,
      listen: { host: '127.0.0.1', port },
      authorities,
      authentication,
      execute: options.execute ?? (async () => ({ kind: 'exited', code: 0, signal: 0 })),
      resume: options.resume ?? (async () => failure('resume-void', 'nothing waits here')),
      warden: { ...emptyWarden, ...options.warden },
      looks: createLookTurns(options.nextPiece ?? createNextPiece()),
      signIn: { codes: createSignInCodes({ sessions, record: audit.append }), url: 'http://127.0.0.1:8080' },
      relays,
      offerHome: options.offerHome ?? (() => 'no workspace is followed here'),
      offerWayOut: options.offerWayOut ?? (() => 'no agent has a way out here'),
      limits: options.limits ?? { connections: 4096, perAddress: 256 },
    });
  let grpc = await serve(0);
  const enroll = await startEnrolmentServer({ ...common, authorities, grpcPort: grpc.port });
  const clients: GatewayClient[] = [];
  let folders = 0;

  async function makeIdentity(peer: PeerName, more: IdentityOptions = {}): Promise<string> {
    folders += 1;
    const folder = await mkdtemp(join(dir, `identity-${folders}-`));
    const key = makeKey();
    const issuer = more.authority ?? authority;
    const certificate = await issueClientCertificate(issuer, peer, createPublicKey(key), more.period);
    await writeFile(join(folder, identityFiles.authority), authority.certificate);
    await writeFile(join(folder, identityFiles.certificate), certificate);
    await writeFile(join(folder, identityFiles.key), key, { mode: 0o600 });
    return folder;
  }

  const close = async (graceMs: number) => {
    for (const client of clients) client.close();
    await Promise.all([grpc.close(graceMs), enroll.close(graceMs)]);
  };
  return {
    address: `localhost:${grpc.port}`,
    port: grpc.port,
    enrollAddress: `localhost:${enroll.port}`,
    ...{ authority, authorities, authentication, keys: identity.keys },
    enrolment,
    relays,
    revocations,
    faults,
    people,
    dir,
    identity: makeIdentity,
    connect: async (peer) => {
      const identityDir = await makeIdentity(peer);
      const connect = peer.kind === 'relay' ? connectRelay : connectGateway;
      const client = await connect({ address: `localhost:${grpc.port}`, identityDir });
      clients.push(client);
      return client;
    },
    revoke: async (identityDir) => {
      revoked.add(fingerprintOfPem((await readIdentity(identityDir)).certificate.toString()));
    },
    close,
    restart: async () => {
      await grpc.close(0);
      grpc = await serve(grpc.port);
    },
    [Symbol.asyncDispose]: async () => {
      await close(0);
      await database.destroy();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function personNamed(name: string, role: Role | undefined): KnownPerson | undefined {
  if (role === undefined) return undefined;
  return { name, role: role as PersonRole, scope: {}, until: undefined, by: '', since: 0 };
}

const nobody = { refused: 'nobody is known here' };

export const emptyWarden: WardenApi = {
  rotations: { signingKey: async () => nobody, authority: async () => nobody },
  running: () => [],
  history: async function* () {},
  search: async () => ({ rows: [], below: undefined }),
  execution: async () => undefined,
  cancel: async () => undefined,
  follow: async () => undefined,
  output: async () => undefined,
  recording: async () => undefined,
  approvals: () => [],
  earlierAnswers: async () => [],
  resolveApproval: async (id) => ({ type: 'unknown', text: `no approval ${id}` }),
  watchApprovals: () => {},
  grants: () => [],
  revokeGrant: async () => undefined,
  setAgentState: async () => undefined,
  setLockdown: async () => ({ stopped: 0, unconfirmed: [] }),
  agents: () => [],
  hosts: () => [],
  relays: () => [],
  sessions: () => [],
  resetSessions: async () => undefined,
  setHostDraining: async () => undefined,
  principals: {
    people: () => [],
    setPerson: async () => nobody,
    removePerson: async () => nobody,
    links: () => [],
    link: async () => nobody,
    unlink: async () => nobody,
    tokens: () => [],
    createToken: async () => nobody,
    rotateToken: async () => nobody,
    removeToken: async () => nobody,
    revoke: async () => nobody,
  },
  assignments: { assign: async () => nobody, unassign: async () => nobody },
  secrets: async () => [],
  learn: async () => nobody,
  audit: async function* () {},
  tools: () => [],
  policy: () => ({ hash: '', text: '', problem: '' }),
  within: (caller) => createSees(caller, () => new Map()),
  explain: () => Promise.reject(new Error('nothing to explain')),
  checkPolicy: async () => ({ ok: true, problems: [], errors: [], warnings: [] }),
  workspaces: {
    view: async (agent) => ({ refused: 'unknown', text: `no agent ${agent}` }),
    keptFiles: async () => [],
    restore: async (agent) => ({ refused: 'unknown', text: `no agent ${agent}` }),
    trust: async (agent) => ({ refused: 'unknown', text: `no agent ${agent}` }),
    reset: async (agent) => ({ refused: 'unknown', text: `no agent ${agent}` }),
    leftOut: () => '',
    tryAgain: () => {},
    bytesOn: () => 0,
  },
  metrics: () => [],
  status: () => ({
    version: '1',
    policyHash: '',
    startedAt: 0,
    problem: '',
    running: 0,
    queued: 0,
    pending: 0,
    warnings: [],
    lockdown: false,
  }),
};
