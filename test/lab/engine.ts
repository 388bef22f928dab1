import { readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { serverTls } from './certificates.ts';
import { startDetached } from './host.ts';
import { hostInit, processesNamed, signalAll } from './host-processes.ts';
import type { HostNames } from './names.ts';
import { waitUntil } from './wait.ts';

/** Starts dockerd on a host that is powered on, and returns when it answers. */
export async function startEngine(host: HostNames): Promise<void> {
  const init = await hostInit(host.namespace);
  if (init === undefined) throw new Error(`clawrden: lab: ${host.name} is off; power it on first`);
  const enter = ['nsenter', `--target=${init}`, '--net', '--mount', '--pid'];
  // Processes that were killed a moment ago may still be zombies, which the next dockerd would take for running.
  for (const file of pidFiles(host)) await rm(file, { force: true });
  // Where containerd writes its stacks when dockerd ends it.
  const environment = ['env', `TMPDIR=${host.dir}`];
  await startDetached([...enter, ...environment, 'dockerd', ...(await engineOptions(host))], engineLog(host));
  try {
    await waitUntil(`engine of ${host.name}`, 30_000, () => answers(host.socket));
  } catch (error) {
    throw new Error(`${String(error)}; its log ends:\n${await lastLines(engineLog(host))}`, { cause: error });
  }
}

/** Ends dockerd and its containerd. TERM stops the containers; they survive KILL until the next start. */
export async function stopEngine(host: HostNames, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  signalAll(await processesNamed(host.namespace, 'dockerd'), signal);
  await waitUntil(`engine of ${host.name} to end`, 20_000, async () => (await enginePids(host)).length === 0);
}

/** dockerd and its containerd. */
export async function enginePids(host: HostNames): Promise<number[]> {
  const pids = await Promise.all(
    ['dockerd', 'containerd'].map((name) => processesNamed(host.namespace, name)),
  );
  return pids.flat();
}

/** True when the engine behind a unix socket answers a ping within a second. */
export function answers(socketPath: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const call = request({ socketPath, path: '/_ping', timeout: 1000 }, (response) => {
    response.resume().on('close', () => resolve(response.statusCode === 200));
  });
  call.on('timeout', () => call.destroy());
  call.on('error', () => resolve(false));
  call.end();
  return promise;
}

// The log itself is removed with the lab.
async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '(there is none)');
  return text.trimEnd().split('\n').slice(-8).join('\n');
}

function engineLog(host: HostNames): string {
  return join(host.dir, 'dockerd.log');
}

/** dockerd's process, and its containerd's. */
function pidFiles(host: HostNames): [string, string] {
  return [join(host.dir, 'dockerd.pid'), join(host.execRoot, 'containerd/containerd.pid')];
}

async function engineOptions(host: HostNames): Promise<string[]> {
  const server = serverTls(host);
  return [
    ...['--host', `unix://${host.socket}`, '--host', host.url],
    ...['--tlsverify', '--tlscacert', host.tls.ca, '--tlscert', server.cert, '--tlskey', server.key],
    ...['--data-root', join(host.dir, 'data'), '--exec-root', host.execRoot],
    ...['--pidfile', pidFiles(host)[0]],
    ...['--cgroup-parent', `/${host.cgroup}`, '--exec-opt', 'native.cgroupdriver=cgroupfs'],
    // For the lab's own registry, the only one without TLS.
    ...['--insecure-registry', `${host.address.replace(/\d+$/, '1')}/32`],
    ...['--storage-driver', 'overlay2', '--userland-proxy=false'],
    ...['--bip', `172.29.${host.index}.1/24`],
    ...['--default-address-pool', `base=172.30.0.0/16,size=24`],
    ...(await nameServers()).flatMap((address) => ['--dns', address]),
  ];
}

// A container cannot reach a resolver on the machine's loopback.
async function nameServers(): Promise<string[]> {
  const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const all = texts.join('\n').matchAll(/^nameserver\s+(\S+)/gm);
  const addresses = [...all].map((match) => match[1] ?? '');
  return [...new Set(addresses)].filter((address) => !address.startsWith('127.') && !address.includes(':'));
}
