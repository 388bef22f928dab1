import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InternetOrder, Seen } from '../egress/internet-main.ts';
import { ask } from '../egress/two-namespaces.ts';
import { run } from '../lab/command.ts';

/** A namespace with servers and a name server, at the end of a wire from this machine. No packet leaves it. */
export interface Internet extends AsyncDisposable {
  readonly address: string;
  /** Another one, which counts as public. */
  readonly publicAddress: string;
  readonly order: (what: InternetOrder) => Promise<Seen>;
  /** A program that runs under this asks the name server there. */
  readonly under: readonly string[];
  /** `argv` as a program in the namespace. */
  readonly inside: (argv: readonly string[]) => string[];
}

/** Of the range for measurements of networks, which nobody has; other ones for each process of a test. */
const net = `198.19.${process.pid % 256}`;
const here = `${net}.1`;
const there = `${net}.2`;
/** The address of one that this process starts. */
export const internetAddress = there;
/** It belongs to nobody that a test could mean, and the route to it leads into the namespace. */
export const internetPublicAddress = `11.19.${process.pid % 256}.2`;
const wire = `clwnet${process.pid % 256}`;

export async function startInternet(): Promise<Internet> {
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-internet-'));
  const resolvConf = join(folder, 'resolv.conf');
  await writeFile(resolvConf, `nameserver ${there}\noptions timeout:1\n`);
  const main = join(import.meta.dirname, '../egress/internet-main.ts');
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const program = spawn('unshare', ['-n', process.execPath, main], { stdio: [...stdio] });
  await once(program, 'message');
  await connectTo(program);
  const mount = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
  return {
    address: there,
    publicAddress: internetPublicAddress,
    order: async (what) => await ask<Seen>(program, what),
    inside: (argv) => ['nsenter', '-t', `${program.pid}`, '-n', ...argv],
    under: ['unshare', '-m', 'sh', '-c', mount, resolvConf],
    [Symbol.asyncDispose]: async () => {
      const ended = once(program, 'exit');
      program.kill('SIGKILL');
      // The wire goes with the namespace.
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function connectTo({ pid = 0 }: ChildProcess): Promise<void> {
  const inside = ['nsenter', '-t', `${pid}`, '-n', 'ip'];
  await run(['ip', 'link', 'add', wire, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', `${pid}`]);
  await run(['ip', 'address', 'add', `${here}/30`, 'dev', wire]);
  await run(['ip', 'link', 'set', wire, 'up']);
  await run([...inside, 'link', 'set', 'lo', 'up']);
  await run([...inside, 'address', 'add', `${there}/30`, 'dev', 'eth0']);
  await run([...inside, 'address', 'add', `${internetPublicAddress}/32`, 'dev', 'eth0']);
  await run([...inside, 'link', 'set', 'eth0', 'up']);
  await run(['ip', 'route', 'add', `${internetPublicAddress}/32`, 'via', there, 'dev', wire]);
}
