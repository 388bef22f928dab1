import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { attempt, type CommandOptions, type CommandResult, run } from './command.ts';
import { agentImage } from './images/catalogue.ts';
import type { HostNames } from './names.ts';

export interface AgentOptions {
  /** Also the container's name, as clawrden-agent-<name>. */
  readonly name: string;
  /** Folder of the agent's warden.sock; seen read-only at /var/run/clawrden. */
  readonly socketDir?: string;
  /** Folder of the agent's tools; seen read-only at /clawrden/bin, first on PATH. */
  readonly jail?: string;
  /** Seen at /app, the working directory. */
  readonly workspace?: string;
  readonly image?: string;
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** More `docker run` options, put before the image. */
  readonly extra?: readonly string[];
  readonly command?: readonly string[];
}

export interface AgentExec {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly user?: string;
}

export interface AgentContainer extends AsyncDisposable {
  readonly id: string;
  readonly name: string;
  /** Runs a program in the container to its end. */
  exec(argv: readonly string[], options?: AgentExec & CommandOptions): Promise<CommandResult>;
  /** The same, live: the Docker client's own process, whose stdin, stdout and stderr are the program's. */
  spawn(argv: readonly string[], options?: AgentExec): ChildProcessWithoutNullStreams;
  remove(): Promise<void>;
}

const path = '/clawrden/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Starts an agent's container as deployed: no network, no Docker socket, nothing of Clawrden but two folders. */
export async function startAgentContainer(
  host: Pick<HostNames, 'socket'>,
  options: AgentOptions,
): Promise<AgentContainer> {
  const docker = ['docker', '-H', `unix://${host.socket}`];
  const name = `clawrden-agent-${options.name}`;
  const image = options.image ?? agentImage;
  const id = await run([...docker, 'run', ...runOptions(name, options), image, ...(options.command ?? [])]);
  const execArgv = (argv: readonly string[], exec: AgentExec) => [
    ...[...docker, 'exec', '-i', ...execOptions(exec)],
    ...[name, ...argv],
  ];
  const remove = async () => void (await attempt([...docker, 'rm', '-fv', name]));
  return {
    id: id.trim(),
    name,
    exec: (argv, { env, cwd, user, ...command } = {}) =>
      attempt(execArgv(argv, defined({ env, cwd, user })), command),
    spawn: (argv, exec = {}) => {
      const [program = '', ...args] = execArgv(argv, exec);
      return spawn(program, args);
    },
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

function runOptions(name: string, options: AgentOptions): string[] {
  const binds = [
    options.socketDir && `${options.socketDir}:/var/run/clawrden:ro`,
    options.jail && `${options.jail}:/clawrden/bin:ro`,
    options.workspace && `${options.workspace}:/app`,
  ].filter((bind) => bind !== undefined && bind !== '');
  return [
    ...['--detach', '--init', '--name', name, '--network', 'none', '--log-driver', 'none'],
    ...['--user', options.user ?? '1000:1000', '--workdir', '/app', '--env', `PATH=${path}`],
    ...environment(options.env),
    ...binds.flatMap((bind) => ['--volume', bind as string]),
    ...(options.extra ?? []),
  ];
}

function execOptions({ env, cwd, user }: AgentExec): string[] {
  return [...environment(env), ...(cwd ? ['--workdir', cwd] : []), ...(user ? ['--user', user] : [])];
}

function environment(env: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
}

function defined(exec: { [K in keyof AgentExec]: AgentExec[K] | undefined }): AgentExec {
  return Object.fromEntries(Object.entries(exec).filter(([, value]) => value !== undefined));
}
