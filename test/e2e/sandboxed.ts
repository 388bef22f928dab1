import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { attempt, type CommandOptions, type CommandResult, run } from '../lab/command.ts';
import { sharedLab } from '../lab/shared-lab.ts';
import { asUser } from '../stack/as-user.ts';
import { launcher } from '../stack/launcher.ts';
import { startToldSite, type ToldOptions, type ToldSite } from '../stack/told-site.ts';
import { lifePolicy } from './life.ts';

export const uid = 1000;

/** Ended when it is disposed of, if it has not ended by then. */
export type Begun = ChildProcessWithoutNullStreams & AsyncDisposable;

/** A relay's agent `coder` with a workspace, and sandboxes of it. */
export interface Sandboxed extends AsyncDisposable {
  readonly site: ToldSite;
  /** The folder that is its workspace. */
  readonly home: string;
  /** Runs a script in a sandbox, with options of `clawrden sandbox`. */
  readonly inside: (
    script: string,
    options?: readonly string[],
    more?: CommandOptions,
  ) => Promise<CommandResult>;
  /** The same, once the script has written its first line. */
  readonly begin: (script: string) => Promise<Begun>;
  /** What `inside` starts, for a script as its last word. */
  readonly line: (...options: string[]) => readonly [string, ...string[]];
  /** A file with a secret in it that the agent's user can read outside of a sandbox. */
  readonly secretAt: (folder: string) => Promise<string>;
  readonly empty: () => Promise<void>;
  /** What is in the workspace. */
  readonly names: () => Promise<readonly string[]>;
}

export const secret = 'a-secret-of-this-machine';

/** `user`: the relay and who starts a sandbox are the agent's ordinary user. */
export async function startSandboxed(
  mode: 'root' | 'user',
  more: Partial<ToldOptions> = {},
): Promise<Sandboxed> {
  const lab = sharedLab();
  const name = more.name ?? `sandbox${mode}`;
  const home = await lab.home(name);
  const site = await startToldSite(lab, {
    ...{ policy: lifePolicy(), agents: { coder: { bind: home, sync: true }, plain: undefined } },
    relay: { 'workspace-roots': [dirname(home)] },
    ...(mode === 'user' && { relayUid: uid }),
    ...more,
    name,
  });
  const as = mode === 'user' ? asUser(uid) : [];
  const line: Sandboxed['line'] = (...options) => [
    'env',
    ...[...as, process.execPath, launcher, 'sandbox', '--config', site.relayYaml, '--agent', 'coder'],
    ...[...options, '--', 'sh', '-c'],
  ];
  // A carrier in a container stages there.
  const names = async () => (await readdir(home)).filter((each) => each !== '.clawrden').sort();
  return {
    ...{ site, home, line, names },
    inside: (script, options = [], limits = {}) => attempt([...line(...options), script], limits),
    begin: async (script) => {
      const [program, ...args] = [...line(), script];
      const child = spawn(program, args);
      await once(child.stdout, 'data');
      const end = async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGTERM');
        await once(child, 'close');
      };
      return Object.assign(child, { [Symbol.asyncDispose]: end });
    },
    secretAt: async (folder) => {
      const file = join(folder, `secret-of-${name}`);
      await mkdir(folder, { recursive: true });
      await writeFile(file, secret);
      const seen = await run([...asUser(uid), 'cat', file]);
      if (seen !== secret) throw new Error(`the agent's user cannot read ${file} outside either`);
      return file;
    },
    empty: async () => {
      for (const each of await names()) await rm(join(home, each), { recursive: true });
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}
