import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { PeerName } from '../../src/pki/peer-name.ts';
import { admin, type TestGateway } from '../grpc/gateway.ts';
import { launcher } from '../stack/launcher.ts';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line as a process of its own. */
export function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, [launcher, ...args], { env: { ...process.env, ...env } });
}

export async function ended(child: ChildProcess): Promise<Ended> {
  const texts = Promise.all(
    [child.stdout, child.stderr].map(async (stream) => (await buffer(stream!)).toString()),
  );
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const [stdout = '', stderr = ''] = await texts;
  return { code, signal, stdout, stderr };
}

export async function clawrden(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = start(args, env);
  child.stdin?.end();
  return await ended(child);
}

/** A context file for this gateway. */
export async function contextOf(gateway: TestGateway, peer: PeerName = admin): Promise<string> {
  const file = join(gateway.dir, `context-${peer.name}.yaml`);
  await writeFile(file, `gateway: ${gateway.address}\nidentity: ${await gateway.identity(peer)}\n`);
  return file;
}
