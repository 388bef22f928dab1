import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descriptorOf } from '../../../../src/descriptor-of.ts';
import { brokenAddon, loadNativeAddon } from '../../../../src/native-addon.ts';
import { nativeFile } from '../../../../src/native-file.ts';

/**
 * A process as the kernel saw it at connect(2). `pid` is 0 if it is in a pid namespace that is not visible from here.
 */
export interface PeerCredentials {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
}

export interface PeerCredentialSource {
  /** For an accepted Unix socket; throws if the kernel does not say. Call it before the first byte is read. */
  readonly of: (socket: Socket) => PeerCredentials;
  /** Connects to its own socket, and rejects unless it reads back this process. */
  readonly selfTest: () => Promise<void>;
}

const selfTestTimeoutMs = 5000;

/** Loads the addon that `make -C shim/native` builds. Throws if it is missing or does not load. */
export function loadPeerCredentials(path = nativeFile('peercred.node')): PeerCredentialSource {
  const addon = loadNativeAddon(path);
  const of = (socket: Socket) => addon.peerCredentials(descriptorOf(socket));
  return { of, selfTest: () => selfTest(of, path) };
}

async function selfTest(of: PeerCredentialSource['of'], path: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'clawrden-peer-'));
  const server = createServer({ pauseOnConnect: true });
  try {
    const { pid, uid, gid } = await credentialsOfSelf(of, server, join(directory, 'self'));
    const expected = { pid: process.pid, uid: process.geteuid?.(), gid: process.getegid?.() };
    if (pid !== expected.pid || uid !== expected.uid || gid !== expected.gid) {
      const [read, own] = [`${pid}/${uid}/${gid}`, `${expected.pid}/${expected.uid}/${expected.gid}`];
      throw new Error(`it reads pid/uid/gid ${read} for this process, which is ${own}`);
    }
  } catch (error) {
    throw brokenAddon(path, `failed its self-test: ${(error as Error).message}`, error);
  } finally {
    server.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function credentialsOfSelf(of: PeerCredentialSource['of'], server: Server, path: string) {
  const signal = AbortSignal.timeout(selfTestTimeoutMs);
  server.listen(path);
  await once(server, 'listening', { signal });
  const client = connect(path);
  try {
    const [accepted] = (await once(server, 'connection', { signal })) as [Socket];
    try {
      return of(accepted);
    } finally {
      accepted.destroy();
    }
  } finally {
    client.destroy();
  }
}
