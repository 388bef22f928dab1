import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { attempt, type CommandOptions, type CommandResult } from '../lab/command.ts';
import { asUser, giveTo } from './as-user.ts';
import { makeGatewaySite } from './gateway-site.ts';
import { launcher } from './launcher.ts';
import type { Machines } from './machines.ts';
import { startProgram } from './program.ts';

export interface ToldOptions {
  /** Distinguishes sites of one lab; letters and digits. */
  readonly name: string;
  readonly policy: string;
  /** `workspace` of gateway.yaml by agent. */
  readonly agents: Readonly<Record<string, object | undefined>>;
  /** More keys for all of them. */
  readonly agentKeys?: Readonly<Record<string, unknown>>;
  /** More keys for relay.yaml. */
  readonly relay?: Readonly<Record<string, unknown>>;
  /** Runs the relay as an ordinary user who may use the agent host's engine. */
  readonly relayUid?: number;
  /** More keys for gateway.yaml. */
  readonly gateway?: Readonly<Record<string, unknown>>;
  /** Runs the gateway under this. */
  readonly under?: readonly string[];
}

/** A gateway, and a relay whose relay.yaml names no agent: the gateway tells it of them. */
export interface ToldSite extends AsyncDisposable {
  readonly gatewayYaml: string;
  readonly relayYaml: string;
  /** Runs `clawrden ARGS` as the admin. */
  readonly cli: (args: readonly string[], options?: CommandOptions) => Promise<CommandResult>;
  /** `clawrden agent VERB --config relay.yaml ARGS`. */
  readonly agent: (verb: string, args: readonly string[], options?: CommandOptions) => Promise<CommandResult>;
  readonly startRelay: () => Promise<void>;
  readonly stopRelay: () => Promise<void>;
}

export async function startToldSite(lab: Machines, options: ToldOptions): Promise<ToldSite> {
  const dir = join(lab.dir, `told-${options.name}`);
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const warden = await makeGatewaySite(join(dir, 'warden'), {
    policy: options.policy,
    keys: { ...gatewayKeys(lab, options), ...options.gateway },
    ...(options.under && { under: options.under }),
  });
  const gateway = await warden.start();
  const relayDir = join(dir, 'relay');
  const relayYaml = join(relayDir, 'relay.yaml');
  await warden.enrol(relayDir, await warden.newToken('host-1', Object.keys(options.agents)));
  const written = parse(await readFile(relayYaml, 'utf8')) as object;
  const keys = { docker: `unix://${lab.agentHost.socket}`, state: join(dir, 'state'), ...options.relay };
  await writeFile(relayYaml, stringify({ ...written, ...keys }), { mode: 0o600 });
  if (options.relayUid !== undefined) await mkdir(keys.state, { recursive: true });
  await giveTo(options.relayUid, [relayDir, keys.state], lab.agentHost.socket);
  const start = () =>
    startProgram({
      argv: [...asUser(options.relayUid), process.execPath, launcher, 'relay', '--config', relayYaml],
      log: join(dir, 'relay.log'),
    });
  let relay = await start();
  return {
    ...{ gatewayYaml: warden.config, relayYaml, cli: warden.cli },
    agent: (verb, args, more) =>
      attempt([process.execPath, launcher, 'agent', verb, '--config', relayYaml, ...args], more),
    startRelay: async () => {
      relay = await start();
    },
    stopRelay: async () => void (await relay.end('SIGTERM')),
    [Symbol.asyncDispose]: async () => {
      await relay[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

function gatewayKeys(lab: Machines, { agents, agentKeys }: ToldOptions): Readonly<Record<string, unknown>> {
  return {
    hosts: lab.hosts.map(({ name, url, tls }) => ({ name, engine: url, tls, slots: 8, warm: 0 })),
    agents: Object.entries(agents).map(([name, workspace]) => ({
      ...{ name, relay: 'host-1', users: ['1000:1000'], cwd: '/app' },
      ...(workspace && { workspace }),
      ...agentKeys,
    })),
  };
}
