import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { run } from './command.ts';
import { startDetached } from './host.ts';
import { hostInit, processesNamed, signalAll } from './host-processes.ts';
import type { HostNames } from './names.ts';
import { waitUntil } from './wait.ts';

/** An sshd on a lab's host, with a key that may only reach sockets. */
export interface SshServer {
  /** Names the host's engine. */
  readonly url: string;
  readonly identity: string;
  readonly knownHosts: string;
  readonly start: () => Promise<void>;
  /** SIGKILL for sshd and all its connections. */
  readonly kill: () => Promise<void>;
}

/** Starts it; it ends with the host. */
export async function startSshServer(host: HostNames): Promise<SshServer> {
  const file = (name: string) => join(host.dir, `ssh-${name}`);
  const identity = file('client');
  const server = file('server');
  await Promise.all([identity, server].map(makeKey));
  const publicKey = (name: string) => readFile(`${name}.pub`, 'utf8');
  await writeFile(file('authorized'), `restrict,port-forwarding ${await publicKey(identity)}`);
  await writeFile(file('known'), `${host.address} ${await publicKey(server)}`);
  await writeFile(file('config'), configText(host, server, file('authorized')));
  const start = () => startSshd(host, file('config'), file('log'));
  await start();
  return {
    url: `ssh://root@${host.address}${host.socket}`,
    identity,
    knownHosts: file('known'),
    start,
    kill: async () => {
      signalAll(await processesNamed(host.namespace, 'sshd'), 'SIGKILL');
      await waitUntil(`sshd of ${host.name} to end`, 5000, async () => !(await listens(host)));
    },
  };
}

async function makeKey(path: string): Promise<void> {
  await run(['rm', '-f', path, `${path}.pub`]);
  await run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path]);
}

function configText({ address }: HostNames, key: string, authorized: string): string {
  const lines = [
    `ListenAddress ${address}`,
    `HostKey ${key}`,
    `AuthorizedKeysFile ${authorized}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
  ];
  return `${lines.join('\n')}\n`;
}

async function startSshd(host: HostNames, config: string, log: string): Promise<void> {
  const init = await hostInit(host.namespace);
  if (init === undefined) throw new Error(`clawrden: lab: ${host.name} is off; power it on first`);
  const enter = ['nsenter', `--target=${init}`, '--net', '--mount', '--pid'];
  await startDetached([...enter, '/usr/sbin/sshd', '-D', '-e', '-f', config], log);
  await waitUntil(`sshd of ${host.name} (see ${log})`, 10_000, () => listens(host));
}

function listens({ address }: HostNames): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(22, address);
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
