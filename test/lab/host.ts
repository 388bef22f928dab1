import { spawn } from 'node:child_process';
import { access, mkdir, open, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hostInit, processesIn, signalAll } from './host-processes.ts';
import type { HostNames } from './names.ts';
import { waitUntil } from './wait.ts';

// Folders in which engines would meet each other or the machine's own engine.
const privateFolders = ['/etc/docker', '/run/docker', '/run/containerd', '/opt/containerd', '/run/sshd'];

/**
 * Powers the host on: a PID 1 in its own PID, mount and network namespaces. Everything on the host runs below it, so
 * its end leaves no process and no mount, in any state of the engine.
 */
export async function powerOn(host: HostNames): Promise<number> {
  await mkdir(host.dir, { recursive: true });
  const covered = [...privateFolders, ...(host.hidden === undefined ? [] : [host.hidden])];
  for (const folder of covered) await mkdir(folder, { recursive: true });
  const mounts = covered.map((folder) => `mount -t tmpfs -o mode=755 clawrden ${folder} && `).join('');
  const init = `${mounts} : > "$0" && while :; do sleep infinity & wait; done`; // the shell reaps what is orphaned
  const unshare = [
    'unshare',
    '--mount',
    '--propagation',
    'slave',
    '--pid',
    '--mount-proc',
    '--fork',
    '--kill-child',
  ];
  const argv = ['nsenter', `--net=/run/netns/${host.namespace}`, ...unshare, 'sh', '-c', init];
  // A host that boots has an empty /run. A stale pid file there would pass for a running containerd, because process
  // numbers begin again.
  await rm(host.execRoot, { recursive: true, force: true });
  await rm(bootMark(host), { force: true });
  await startDetached([...argv, bootMark(host)], join(host.dir, 'host.log'));
  await waitUntil(`${host.name} to boot (see ${host.dir}/host.log)`, 10_000, () => isBooted(host));
  const pid = await hostInit(host.namespace);
  if (pid === undefined)
    throw new Error(`clawrden: lab: ${host.name} ended while booting; see ${host.dir}/host.log`);
  return pid;
}

/** Power cut: every process of the host is gone when this returns. */
export async function powerOff(host: Pick<HostNames, 'namespace'>): Promise<void> {
  signalAll(await processesIn(host.namespace), 'SIGKILL');
  await waitUntil(
    `${host.namespace} to end`,
    10_000,
    async () => (await processesIn(host.namespace)).length === 0,
  );
}

function bootMark(host: HostNames): string {
  return `${host.execRoot}.booted`;
}

function isBooted(host: HostNames): Promise<boolean> {
  return access(bootMark(host)).then(
    () => true,
    () => false,
  );
}

/** When no lab is left, removes shared folders that labs created; a folder that anything else uses or fills stays. */
export async function dropPrivateFolders(): Promise<void> {
  for (const folder of privateFolders) await rmdir(folder).catch(() => {});
}

/** Starts a program that survives this one; both outputs are appended to a file. */
export async function startDetached(argv: readonly string[], log: string): Promise<void> {
  const [program = '', ...args] = argv;
  const file = await open(log, 'a');
  const child = spawn(program, args, { detached: true, stdio: ['ignore', file.fd, file.fd] });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once('spawn', resolve).once('error', reject);
  try {
    await promise;
  } finally {
    await file.close();
  }
  child.unref();
}
