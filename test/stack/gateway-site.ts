import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { attempt, type CommandOptions, type CommandResult } from '../lab/command.ts';
import { freePorts } from './free-port.ts';
import { launcher } from './launcher.ts';
import { type Program, startProgram } from './program.ts';
import { addSecondPerson, second } from './second-person.ts';

/** What `clawrden gateway` starts from: the folder of `clawrden init`, with the test's policy and keys. */
export interface GatewaySite {
  readonly state: string;
  /** gateway.yaml. */
  readonly config: string;
  readonly grpcAddress: string;
  readonly enrollAddress: string;
  /** Of the HTTP door, with its scheme. */
  readonly httpUrl: string;
  /** Of the admin; that of a second person is beside it. */
  readonly context: string;
  readonly log: string;
  readonly argv: readonly string[];
  readonly start: () => Promise<Program>;
  /** The command line, as the admin. */
  readonly cli: (args: readonly string[], options?: CommandOptions) => Promise<CommandResult>;
  /** For `enrol`. */
  readonly newToken: (relay: string, agents: readonly string[]) => Promise<string>;
  readonly enrol: (folder: string, token: string) => Promise<void>;
}

export interface SiteOptions {
  readonly policy?: string;
  /** More keys for gateway.yaml. */
  readonly keys?: Readonly<Record<string, unknown>>;
  /** Runs the gateway under a limit or with fewer rights. */
  readonly under?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The `clawrden` that the next start takes, and the command line; ours if absent. */
  readonly launcher?: () => string;
}

/** Denies everything. */
export const closedPolicy = 'version: 1\ndefault: deny\ncomplete: true\n';

/** `state` is created; files that are not the gateway's own are put beside it. */
export async function makeGatewaySite(state: string, options: SiteOptions = {}): Promise<GatewaySite> {
  const home = dirname(state);
  const [config, context, log] = [
    join(state, 'gateway.yaml'),
    join(home, 'context.yaml'),
    join(home, 'gateway.log'),
  ];
  const [grpcAddress = '', enrollAddress = '', httpAddress = ''] = (await freePorts(3)).map(
    (port) => `127.0.0.1:${port}`,
  );
  const command = () => [process.execPath, options.launcher?.() ?? launcher];
  const cli: GatewaySite['cli'] = (args, more) =>
    attempt([...command(), '--context', context, ...args], more);
  const answer = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await cli(args, { env: { ...process.env, HOME: home } });
    if (code !== 0) throw new Error(`clawrden ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  await answer(['init', '--dir', state]);
  await writeFile(join(state, 'policy.yaml'), options.policy ?? closedPolicy);
  const http = { listen: httpAddress };
  const ports = { grpc: { listen: grpcAddress }, enroll: { listen: enrollAddress }, http };
  const files = { state: '.', policy: 'policy.yaml', audit: 'audit.jsonl' };
  const keys = { ...ports, ...files, hosts: [], agents: [], ...options.keys };
  // Hosts may share one object.
  await writeFile(config, stringify(keys, { aliasDuplicateObjects: false }));
  await addSecondPerson(state, grpcAddress, join(home, `${second}.yaml`));
  await writeFile(context, stringify({ gateway: grpcAddress, identity: join(state, 'admin') }));
  const argv = () => [...(options.under ?? []), ...command(), 'gateway', '--config', config];
  return {
    ...{
      state,
      config,
      grpcAddress,
      enrollAddress,
      httpUrl: `http://${http.listen}`,
      context,
      log,
      argv: argv(),
      cli,
    },
    start: () => startProgram({ argv: argv(), log, ...(options.env && { env: options.env }) }),
    newToken: (relay, agents) =>
      answer(['token', 'create', '--relay', relay, ...agents.flatMap((name) => ['--agent', name])]),
    enrol: async (folder, token) => {
      await answer(['relay', 'enroll', '--token', token, '--gateway', enrollAddress, '--dir', folder]);
    },
  };
}
