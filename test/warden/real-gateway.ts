import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { clawrden, type Ended, launcher } from '../cli/clawrden.ts';
import { connectRelay } from '../grpc/connect-relay.ts';
import { freePort } from '../stack/free-port.ts';
import { type Program, startProgram } from '../stack/program.ts';

/** The gateway as its users run it, without Docker hosts; `test` speaks as the relay `host-1` of the agents `coder` and `other`. */
export interface RealGateway extends AsyncDisposable {
  readonly address: string;
  readonly state: string;
  readonly audit: string;
  readonly log: string;
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
  readonly cli: (...args: string[]) => Promise<Ended>;
}

export interface RealGatewayOptions {
  /** Where everything of it is; the system's own folder when left out. */
  readonly base?: string;
  /** The state folder when left out. */
  readonly auditDir?: string;
  /** Goes into the policy, before its end. */
  readonly policy?: string;
  readonly limits?: Readonly<Record<string, number>>;
  /** Files that it may have open. */
  readonly openFiles?: number;
}

const policy = `version: 1
default: deny
workspace: /app
timeout: 5m
approval: { expires: 10m }
tools:
  run: { strategy: mirror }
  kept: { strategy: mirror, record: head-tail }
  ask: { strategy: mirror }
  touch: { strategy: mirror }
  here: { strategy: passthrough }
rules:
  - { name: may-run, tools: [run, kept, here], action: allow }
  - { name: must-ask, tools: [ask, touch], action: ask }
complete: true
`;

export async function startRealGateway(options: RealGatewayOptions = {}): Promise<RealGateway> {
  const dir = await mkdtemp(join(options.base ?? tmpdir(), 'clawrden-warden-'));
  const state = join(dir, 'state');
  const [grpc, enroll] = [await freePort(), await freePort()];
  await done(['init', '--dir', state], dir);
  await writeFile(
    join(state, 'policy.yaml'),
    policy.replace('complete:', `${options.policy ?? ''}complete:`),
  );
  const audit = join(options.auditDir ?? state, 'audit.jsonl');
  await writeFile(join(state, 'gateway.yaml'), configOf(grpc, enroll, audit, options.limits));
  const address = `127.0.0.1:${grpc}`;
  const context = join(dir, 'context.yaml');
  await writeFile(context, stringify({ gateway: address, identity: join(state, 'admin') }));
  const gateway = [process.execPath, launcher, 'gateway', '--config', join(state, 'gateway.yaml')];
  const limited = ['sh', '-c', `ulimit -n ${options.openFiles} && exec "$@"`, 'sh'];
  const argv = [...(options.openFiles === undefined ? [] : limited), ...gateway];
  const log = join(dir, 'gateway.log');
  let program: Program = await startProgram({ argv, log });
  const newToken = async () => {
    const names = agents.flatMap((name) => ['--agent', name]);
    const made = await done(['token', 'create', '--relay', 'host-1', ...names, '--context', context], dir);
    return made.trim();
  };
  const enrol = async (folder: string, token: string) => {
    const where = ['--gateway', `127.0.0.1:${enroll}`, '--dir', folder];
    await done(['relay', 'enroll', '--token', token, ...where], dir);
    return () => connectRelay({ address, identityDir: folder });
  };
  return {
    address,
    newToken,
    enrol: (name, token) => enrol(join(dir, name), token),
    state,
    audit,
    log,
    pid: () => program.pid,
    relayFolder: join(dir, 'relay'),
    context,
    start: async () => {
      program = await startProgram({ argv, log });
    },
    end: async (signal) => void (await program.end(signal)),
    relay: await enrol(join(dir, 'relay'), await newToken()),
    cli: (...args) => clawrden(['--context', context, ...args]),
    admin: () => connectGateway({ address, identityDir: join(state, 'admin') }),
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const agents = ['coder', 'other'];

function configOf(grpc: number, enroll: number, audit: string, limits = manyLimits): string {
  return stringify({
    grpc: { listen: `127.0.0.1:${grpc}` },
    enroll: { listen: `127.0.0.1:${enroll}` },
    state: '.',
    policy: 'policy.yaml',
    audit,
    limits,
    agents: agents.map((name) => ({ name, relay: 'host-1', users: ['1000:1000'], cwd: '/app' })),
  });
}

const manyLimits: Readonly<Record<string, number>> = {
  'pending-per-agent': 200,
  'executions-per-agent': 1000,
};

async function done(args: readonly string[], home: string): Promise<string> {
  const { code, stdout, stderr } = await clawrden(args, { HOME: home });
  if (code !== 0) throw new Error(`clawrden ${args.join(' ')}: ${stderr}`);
  return stdout;
}
