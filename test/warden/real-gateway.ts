import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { AgentReport } from '../../src/gen/clawrden/v1/relay.ts';
import { sharedPolicy } from '../fixtures/shared-policy.ts';
import { connectRelay } from '../grpc/connect-relay.ts';
import type { CommandResult } from '../lab/command.ts';
import { makeGatewaySite } from '../stack/gateway-site.ts';

/**
 * The gateway as its users run it, without Docker hosts; `test` acts as the relay `host-1` of the agents `coder` and
 * `other`.
 */
export interface RealGateway extends AsyncDisposable {
  readonly address: string;
  readonly enrollAddress: string;
  /** Of the HTTP door, with its scheme. */
  readonly httpUrl: string;
  readonly state: string;
  readonly audit: string;
  readonly log: string;
  /** gateway.yaml. */
  readonly config: string;
  readonly pid: () => number;
  /** Of `relay`: its certificate and key. */
  readonly relayFolder: string;
  readonly context: string;
  readonly start: () => Promise<void>;
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
  readonly relay: () => Promise<GatewayClient>;
  readonly admin: () => Promise<GatewayClient>;
  /** For `relay enroll` as `host-1`. */
  readonly newToken: () => Promise<string>;
  /** Enrols `host-1` in another folder; connects as that. */
  readonly enrol: (name: string, token: string) => Promise<() => Promise<GatewayClient>>;
  /** The command line, as the admin. */
  readonly cli: (...args: string[]) => Promise<CommandResult>;
}

export interface RealGatewayOptions {
  /** The folder for all its files; the system's own temporary folder if absent. */
  readonly base?: string;
  /** The state folder when left out. */
  readonly auditDir?: string;
  /** Inserted into the policy, before its end. */
  readonly policy?: string;
  readonly limits?: Readonly<Record<string, number>>;
  /** Docker hosts of gateway.yaml. */
  readonly hosts?: readonly object[];
  /** More keys of gateway.yaml. */
  readonly keys?: Readonly<Record<string, unknown>>;
  /** Besides `coder` and `other`, of the same relay. */
  readonly moreAgents?: readonly string[];
  /** More of `agents` of gateway.yaml. */
  readonly moreListed?: readonly object[];
  /** What `host-1` reports of its agents; nothing if absent. */
  readonly report?: readonly AgentReport[];
  /** The most files that it may have open. */
  readonly openFiles?: number;
}

export async function startRealGateway(options: RealGatewayOptions = {}): Promise<RealGateway> {
  const dir = await mkdtemp(join(options.base ?? tmpdir(), 'clawrden-warden-'));
  const state = join(dir, 'state');
  const audit = join(options.auditDir ?? state, 'audit.jsonl');
  const limited = ['sh', '-c', `ulimit -n ${options.openFiles} && exec "$@"`, 'sh'];
  const site = await makeGatewaySite(state, {
    policy: sharedPolicy(options.policy),
    keys: {
      audit,
      limits: options.limits ?? manyLimits,
      agents: [...[...agents, ...(options.moreAgents ?? [])].map(agentOf), ...(options.moreListed ?? [])],
      hosts: options.hosts ?? [],
      ...options.keys,
    },
    under: options.openFiles === undefined ? [] : limited,
  });
  const { grpcAddress: address, enrollAddress, httpUrl, context, config, log } = site;
  let program = await site.start();
  const newToken = () => site.newToken('host-1', agents);
  const enrol = async (folder: string, token: string) => {
    await site.enrol(folder, token);
    return () => connectRelay({ address, identityDir: folder }, options.report);
  };
  return {
    ...{ address, enrollAddress, httpUrl, newToken, state, audit, log, context, config },
    enrol: (name, token) => enrol(join(dir, name), token),
    pid: () => program.pid,
    relayFolder: join(dir, 'relay'),
    start: async () => {
      program = await site.start();
    },
    end: async (signal) => void (await program.end(signal)),
    relay: await enrol(join(dir, 'relay'), await newToken()),
    cli: (...args) => site.cli(args),
    admin: () => connectGateway({ address, identityDir: join(state, 'admin') }),
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const agents = ['coder', 'other'];
const agentOf = (name: string) => ({ name, relay: 'host-1', users: ['1000:1000'], cwd: '/app' });

const manyLimits: Readonly<Record<string, number>> = {
  'pending-per-agent': 200,
  'executions-per-agent': 1000,
};
