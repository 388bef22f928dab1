import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { carrierFile, connectFile, hostsFile, initFile } from './init-layout.ts';
import type { NativeFiles } from './native-files.ts';

const hosts = '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n';

/** The files of the init's volume as a tar. The init comes last: if it is complete, everything is. */
export async function initArchive({ init, connect, carrier }: NativeFiles): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: hostsFile, mode: 0o444 }, hosts);
  archive.entry({ name: carrierFile, mode: 0o555 }, carrier);
  archive.entry({ name: connectFile, mode: 0o555 }, connect);
  archive.entry({ name: initFile, mode: 0o555 }, init);
  archive.finalize();
  return buffer(archive);
}

/** A tar without entries. */
export const emptyArchive = (): Buffer => Buffer.alloc(1024);
