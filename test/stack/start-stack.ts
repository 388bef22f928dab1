import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type AgentContainer, type AgentOptions, startAgentContainer } from '../lab/agent-container.ts';
import { attempt, type CommandOptions, type CommandResult, run } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';
import { freePort } from './free-port.ts';
import type { Machines } from './machines.ts';
import { type Program, startProgram } from './program.ts';

export interface StackOptions {
  /** Distinguishes stacks of one lab; letters and digits. */
  readonly name: string;
  /** The policy file's text. */
  readonly policy: string;
  /** Agents by name; every one gets a workspace that all engines see. */
  readonly agents?: Readonly<Record<string, AgentSpec>>;
  /** More keys for gateway.yaml. */
  readonly gateway?: Readonly<Record<string, unknown>>;
  /** Keys for every host in gateway.yaml. */
  readonly host?: Readonly<Record<string, unknown>>;
  /** Keys for some of them, by name. */
  readonly hosts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly env?: NodeJS.ProcessEnv;
  readonly progress?: (line: string) => void;
}

export interface AgentSpec {
  /** `uid:gid` pairs; 1000:1000 when left out. */
  readonly users?: readonly string[];
  readonly container?: Partial<AgentOptions>;
  /** Bound to a relay that is not run here. */
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

export const launcher = join(checkout, 'src/cli/launcher.cjs');
const relayName = 'host-1';

export async function startStack(lab: Machines, options: StackOptions): Promise<Stack> {
  const progress = options.progress ?? (() => {});
  const dir = join(lab.dir, `stack-${options.name}`);
  const paths = stackPaths(dir);
  const specs = options.agents ?? { coder: {} };
  const ports = { grpc: await freePort(), enroll: await freePort() };
  const grpcAddress = `127.0.0.1:${ports.grpc}`;
  progress('making the state folder');
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const cli = (args: readonly string[], more: CommandOptions = {}) =>
    attempt([process.execPath, launcher, '--context', paths.context, ...args], more);
  await run([process.execPath, launcher, 'init', '--dir', paths.state], {
    env: { ...process.env, HOME: dir },
  });
  const workspaces = await makeWorkspaces(lab, options.name, Object.keys(specs));
  await writeFile(join(paths.state, 'policy.yaml'), options.policy);
  await writeFile(join(paths.state, 'gateway.yaml'), gatewayYaml(lab, options, specs, ports, workspaces));
  await writeFile(paths.context, stringify({ gateway: grpcAddress, identity: join(paths.state, 'admin') }));

  const startGateway = () =>
    startProgram({
      argv: [process.execPath, launcher, 'gateway', '--config', join(paths.state, 'gateway.yaml')],
      log: join(dir, 'gateway.log'),
      ...(options.env && { env: options.env }),
    });
  const startRelay = () =>
    startProgram({
      argv: [process.execPath, launcher, 'relay', '--config', paths.relayYaml],
      log: join(dir, 'relay.log'),
      ...(options.env && { env: options.env }),
    });
  progress('starting the gateway');
  let gateway = await startGateway();
  const socketOf = (agent: string) => join(paths.sockets, agent, 'warden.sock');
  progress('enrolling and starting the relay');
  const own = Object.keys(specs).filter((name) => specs[name]?.elsewhere !== true);
  await enroll(cli, own, paths, ports.enroll);
  await addToRelayYaml(paths.relayYaml, lab, options.name, own, specs, paths.relayState, socketOf);
  let relay = await startRelay();
  progress('starting the agent containers');
  const agents: Record<string, AgentContainer> = {};
  for (const name of own) {
    agents[name] = await startAgentContainer(lab.agentHost, {
      name: containerSuffix(options.name, name),
      socketDir: join(paths.sockets, name),
      jail: join(paths.relayState, 'jails', name),
      workspace: workspaces[name] ?? '',
      ...specs[name]?.container,
    });
  }
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
    grpcAddress,
    identity: join(paths.state, 'admin'),
    hosts: lab.hosts.map(({ name }) => name),
    agents,
    socketOf,
    workspaceOf: (agent) => workspaces[agent] ?? '',
    cli,
    audit: () => readAudit(join(paths.state, 'audit.jsonl')),
    startGateway: async () => {
      gateway = await startGateway();
    },
    startRelay: async () => {
      relay = await startRelay();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface StackPaths {
  readonly state: string;
  readonly context: string;
  readonly relayDir: string;
  readonly relayYaml: string;
  readonly relayState: string;
  readonly sockets: string;
}

function stackPaths(dir: string): StackPaths {
  const relayDir = join(dir, 'relay');
  return {
    state: join(dir, 'warden'),
    context: join(dir, 'context.yaml'),
    relayDir,
    relayYaml: join(relayDir, 'relay.yaml'),
    relayState: join(relayDir, 'state'),
    sockets: join(relayDir, 'sockets'),
  };
}

function containerSuffix(stack: string, agent: string): string {
  return `${stack}-${agent}`;
}

async function makeWorkspaces(
  lab: Machines,
  stack: string,
  agents: string[],
): Promise<Record<string, string>> {
  const paths: Record<string, string> = {};
  for (const agent of agents) paths[agent] = await lab.workspace(`${stack}-${agent}`);
  return paths;
}

function gatewayYaml(
  lab: Machines,
  options: StackOptions,
  specs: Readonly<Record<string, AgentSpec>>,
  ports: { grpc: number; enroll: number },
  workspaces: Readonly<Record<string, string>>,
): string {
  return stringify(
    {
      grpc: { listen: `127.0.0.1:${ports.grpc}` },
      enroll: { listen: `127.0.0.1:${ports.enroll}` },
      state: '.',
      policy: 'policy.yaml',
      audit: 'audit.jsonl',
      hosts: lab.hosts.map((host) => ({
        name: host.name,
        engine: host.url,
        tls: host.tls,
        slots: 8,
        // Tests count containers; those about ghosts that wait ask for them.
        warm: 0,
        ...options.host,
        ...options.hosts?.[host.name],
      })),
      agents: Object.entries(specs).map(([name, { users, elsewhere, config }]) => ({
        name,
        relay: elsewhere === true ? 'another-host' : relayName,
        users: users ?? ['1000:1000'],
        cwd: '/app',
        workspace: { bind: workspaces[name] },
        ...config,
      })),
      ...options.gateway,
    },
    // Hosts may share one object.
    { aliasDuplicateObjects: false },
  );
}

async function enroll(
  cli: Stack['cli'],
  agents: readonly string[],
  paths: StackPaths,
  port: number,
): Promise<void> {
  const wanted = agents.flatMap((name) => ['--agent', name]);
  const made = await cli(['token', 'create', '--relay', relayName, ...wanted, '--json']);
  if (made.code !== 0) throw new Error(`token create: ${made.stderr}`);
  const { token } = JSON.parse(made.stdout) as { token: string };
  const where = ['--gateway', `127.0.0.1:${port}`, '--token', token, '--dir', paths.relayDir];
  const enrolled = await cli(['relay', 'enroll', ...where]);
  if (enrolled.code !== 0) throw new Error(`relay enroll: ${enrolled.stderr}`);
}

/** What `relay enroll` cannot know: which containers the agents run in, and on which engine. */
async function addToRelayYaml(
  file: string,
  lab: Machines,
  stack: string,
  agents: readonly string[],
  specs: Readonly<Record<string, AgentSpec>>,
  state: string,
  socketOf: (agent: string) => string,
): Promise<void> {
  const written = await readFile(file, 'utf8');
  const gateway = /^gateway: *(.*)$/m.exec(written)?.[1];
  const identity = /^identity: *(.*)$/m.exec(written)?.[1];
  const entries = agents.map((name) => ({
    name,
    socket: socketOf(name),
    container: `clawrden-agent-${containerSuffix(stack, name)}`,
    users: specs[name]?.users ?? ['1000:1000'],
  }));
  await writeFile(
    file,
    stringify({ gateway, identity, docker: `unix://${lab.agentHost.socket}`, state, agents: entries }),
  );
  await chmod(file, 0o600);
}

async function readAudit(file: string): Promise<AuditLine[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditLine);
}
