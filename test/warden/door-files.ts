import { X509Certificate } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { parse, stringify } from 'yaml';
import type { Link } from '../../shim/relay/control/renewing-link.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { Credentials } from '../../src/pki/authority.ts';
import { type Mirrored, newMirrored, play } from './mirrored.ts';

/** A file of YAML. */
export async function edit(file: string, change: (value: Record<string, unknown>) => void): Promise<void> {
  const value = parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  change(value);
  await writeFile(file, stringify(value));
}

/** Into the files of the door, as those who renew certificates do it: beside, and then over. */
export async function replaceDoor(dir: string, { certificate, key }: Credentials): Promise<void> {
  const at = (name: string) => join(dir, name);
  await writeFile(at('new.pem'), certificate);
  await writeFile(at('new.key'), key, { mode: 0o600 });
  await rename(at('new.key'), at('door.key'));
  await rename(at('new.pem'), at('door.pem'));
}

/** Fingerprint of what a new connection sees. */
export function shownAt(address: string, protocol = 'h2'): Promise<string> {
  const [host = '', port] = address.split(':');
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host,
      port: Number(port),
      rejectUnauthorized: false,
      ALPNProtocols: [protocol],
    });
    socket.on('error', reject);
    socket.on('secureConnect', () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
  });
}

export const print = ({ certificate }: Credentials) => new X509Certificate(certificate).fingerprint256;

/** As a relay does. */
export async function synchronize(from: Link, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const opened = await from.synchronize(2000);
    if (opened === undefined) continue;
    const ended = new Promise((resolve) => opened.stream.on('error', () => {}).once('status', resolve));
    await Promise.race([ended, opened.renewed]);
    await sleep(20);
  }
}

export const wrong = (all: readonly Mirrored[]) =>
  all.filter(({ starts, outcome, broken }) => starts !== 1 || outcome?.code !== 7 || broken !== '');

export async function commandsOver(link: Link, audit: string, until: () => boolean): Promise<Mirrored[]> {
  const all: Mirrored[] = [];
  const ends: Promise<void>[] = [];
  while (!until()) {
    const command = newMirrored();
    all.push(command);
    ends.push(play(link as unknown as GatewayClient, command, { tool: 'run' }, audit));
    await sleep(50);
  }
  await Promise.all(ends);
  return all;
}
