import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { type AgentContainer, type AgentOptions, startAgentContainer } from '../lab/agent-container.ts';
import type { CommandOptions, CommandResult } from '../lab/command.ts';
import { asUser, giveTo } from './as-user.ts';
import { type GatewaySite, makeGatewaySite } from './gateway-site.ts';
import { launcher } from './launcher.ts';
import type { Machines } from './machines.ts';
import { type Program, startProgram } from './program.ts';
import { readAudit } from './read-audit.ts';

export interface StackOptions {
  /** Distinguishes stacks of one lab; letters and digits. */
  readonly name: string;
  /** The policy file's text. */
  readonly policy: string;
  /** Agents by name; every one gets a workspace that all engines see. */
  readonly agents?: Readonly<Record<string, AgentSpec>>;
  /** More keys for gateway.yaml. */
  readonly gateway?: Readonly<Record<string, unknown>>;
  /** More keys for relay.yaml. */
  readonly relay?: Readonly<Record<string, unknown>>;
  /** Keys for every host in gateway.yaml. */
  readonly host?: Readonly<Record<string, unknown>>;
  /** Keys for some of them, by name. */
  readonly hosts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly env?: NodeJS.ProcessEnv;
  /** What the gateway runs under. */
  readonly under?: readonly string[];
  /** The relay is this user, in a group that may use the agents' engine; root if absent. */
  readonly relayUid?: number;
  /** What the relay runs under. */
  readonly relayUnder?: readonly string[];
  readonly progress?: (line: string) => void;
  /** The `clawrden` that the next start of each takes, and the command line that of the gateway; ours if absent. */
  readonly launchers?: { readonly gateway: string; readonly relay: string };
}

export interface AgentSpec {
  /** `uid:gid` pairs; 1000:1000 if absent. */
  readonly users?: readonly string[];
  readonly container?: Partial<AgentOptions>;
  /** Its workspace is where no Docker host sees it, and replicas follow it; keys for `workspace` in gateway.yaml. */
  readonly followed?: Readonly<Record<string, unknown>>;
  /** Bound to a relay that does not run here. */
  readonly elsewhere?: boolean;
  /** More keys for its entry in gateway.yaml. */
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface AuditLine {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A gateway, a relay and agents on a lab, each started the way its users start it. */
export interface Stack extends AsyncDisposable {
  readonly dir: string;
  readonly gateway: Program;
  readonly relay: Program;
  readonly grpcAddress: string;
  readonly httpUrl: string;
  /** The folder with the admin's certificate and key. */
  readonly identity: string;
  /** Names of the Docker hosts in gateway.yaml. */
  readonly hosts: readonly string[];
  /** Containers by agent. */
  readonly agents: Readonly<Record<string, AgentContainer>>;
  readonly socketOf: (agent: string) => string;
  readonly workspaceOf: (agent: string) => string;
  /** Runs `clawrden ARGS` as the admin. */
  readonly cli: (args: readonly string[], options?: CommandOptions) => Promise<CommandResult>;
  readonly audit: () => Promise<AuditLine[]>;
  readonly startGateway: () => Promise<void>;
  readonly startRelay: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const relayName = 'host-1';

export async function startStack(lab: Machines, options: StackOptions): Promise<Stack> {
  const progress = options.progress ?? (() => {});
  progress('making the state folder');
  const site = await makeSite(lab, options);
  const { dir, paths, workspaces, warden } = site;
  const relayUnder = [...(options.relayUnder ?? []), ...asUser(options.relayUid)];
  const startRelay = () =>
    startProgram({
      argv: [
        ...relayUnder,
        process.execPath,
        options.launchers?.relay ?? launcher,
        'relay',
        '--config',
        paths.relayYaml,
      ],
      log: join(dir, 'relay.log'),
      ...(options.env && { env: options.env }),
    });
  progress('starting the gateway');
  let gateway = await warden.start();
  progress('enrolling and starting the relay');
  await warden.enrol(paths.relayDir, await warden.newToken(relayName, site.own));
  await addToRelayYaml(site, lab, options);
  await giveTo(options.relayUid, [paths.relayDir], lab.agentHost.socket);
  let relay = await startRelay();
  progress('starting the agent containers');
  const agents = await startAgents(site, lab, options.name);
  const stop = async () => {
    await Promise.all(Object.values(agents).map((agent) => agent.remove()));
    await relay[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
  };
  return {
    dir,
    get gateway() {
      return gateway;
    },
    get relay() {
      return relay;
    },
    grpcAddress: warden.grpcAddress,
    httpUrl: warden.httpUrl,
    identity: join(warden.state, 'admin'),
    hosts: lab.hosts.map(({ name }) => name),
    agents,
    socketOf: (agent) => socketOf(paths, agent),
    workspaceOf: (agent) => workspaces[agent] ?? '',
    cli: warden.cli,
    audit: () => readAudit(join(warden.state, 'audit.jsonl')),
    startGateway: async () => {
      gateway = await warden.start();
    },
    startRelay: async () => {
      relay = await startRelay();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A stack's folders and files, before anything runs. */
interface Site {
  readonly dir: string;
  readonly paths: StackPaths;
  readonly warden: GatewaySite;
  /** All agents. */
  readonly specs: Readonly<Record<string, AgentSpec>>;
  /** The agents of the relay that runs here. */
  readonly own: readonly string[];
  readonly workspaces: Readonly<Record<string, string>>;
}

async function makeSite(lab: Machines, options: StackOptions): Promise<Site> {
  const dir = join(lab.dir, `stack-${options.name}`);
  const paths = stackPaths(dir);
  const specs = options.agents ?? { coder: {} };
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const workspaces = await makeWorkspaces(lab, options.name, specs);
  const warden = await makeGatewaySite(join(dir, 'warden'), {
    policy: options.policy,
    keys: gatewayKeys(specs, workspaces, lab, options),
    ...(options.env && { env: options.env }),
    ...(options.under && { under: options.under }),
    launcher: () => options.launchers?.gateway ?? launcher,
  });
  const own = Object.keys(specs).filter((name) => specs[name]?.elsewhere !== true);
  return { dir, paths, specs, own, workspaces, warden };
}

async function startAgents(
  { paths, specs, own, workspaces }: Site,
  lab: Machines,
  stack: string,
): Promise<Readonly<Record<string, AgentContainer>>> {
  const agents: Record<string, AgentContainer> = {};
  for (const name of own) {
    agents[name] = await startAgentContainer(lab.agentHost, {
      name: containerSuffix(stack, name),
      socketDir: join(paths.sockets, name),
      jail: join(paths.relayState, 'jails', name),
      workspace: workspaces[name] ?? '',
      ...specs[name]?.container,
    });
  }
  return agents;
}

interface StackPaths {
  readonly relayDir: string;
  readonly relayYaml: string;
  readonly relayState: string;
  readonly sockets: string;
}

function stackPaths(dir: string): StackPaths {
  const relayDir = join(dir, 'relay');
  return {
    relayDir,
    relayYaml: join(relayDir, 'relay.yaml'),
    relayState: join(relayDir, 'state'),
    sockets: join(relayDir, 'sockets'),
  };
}

function socketOf({ sockets }: StackPaths, agent: string): string {
  return join(sockets, agent, 'warden.sock');
}

function containerSuffix(stack: string, agent: string): string {
  return `${stack}-${agent}`;
}

async function makeWorkspaces(
  lab: Machines,
  stack: string,
  specs: Site['specs'],
): Promise<Record<string, string>> {
  const paths: Record<string, string> = {};
  for (const [agent, { followed }] of Object.entries(specs)) {
    const make = followed === undefined ? lab.workspace : (lab.home ?? lab.workspace);
    paths[agent] = await make(`${stack}-${agent}`);
  }
  return paths;
}

function gatewayKeys(
  specs: Site['specs'],
  workspaces: Site['workspaces'],
  lab: Machines,
  options: StackOptions,
): Readonly<Record<string, unknown>> {
  return {
    hosts: lab.hosts.map((host) => ({
      name: host.name,
      engine: host.url,
      tls: host.tls,
      slots: 8,
      // Tests count containers; tests about waiting ghosts ask for them.
      warm: 0,
      ...options.host,
      ...options.hosts?.[host.name],
    })),
    agents: Object.entries(specs).map(([name, { users, elsewhere, followed, config }]) => ({
      name,
      relay: elsewhere === true ? 'another-host' : relayName,
      users: users ?? ['1000:1000'],
      cwd: '/app',
      workspace: { bind: workspaces[name], ...(followed && { sync: true, ...followed }) },
      ...config,
    })),
    ...options.gateway,
  };
}

/** What `relay enroll` cannot know: the agents' containers, and their engine. */
async function addToRelayYaml(
  { paths, specs, own, workspaces }: Site,
  lab: Machines,
  { name: stack, relay }: StackOptions,
): Promise<void> {
  const followed = own.filter((name) => specs[name]?.followed !== undefined);
  const roots = [...new Set(followed.map((name) => dirname(workspaces[name] ?? '/')))];
  const file = paths.relayYaml;
  const written = await readFile(file, 'utf8');
  const gateway = /^gateway: *(.*)$/m.exec(written)?.[1];
  const identity = /^identity: *(.*)$/m.exec(written)?.[1];
  const entries = own.map((name) => ({
    name,
    socket: socketOf(paths, name),
    container: `clawrden-agent-${containerSuffix(stack, name)}`,
    users: specs[name]?.users ?? ['1000:1000'],
  }));
  await writeFile(
    file,
    stringify({
      ...{ gateway, identity },
      docker: `unix://${lab.agentHost.socket}`,
      state: paths.relayState,
      agents: entries,
      ...(roots.length > 0 && { 'workspace-roots': ['volumes', ...roots] }),
      ...relay,
    }),
  );
  await chmod(file, 0o600);
}
