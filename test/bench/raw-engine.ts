import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { connect } from '../../gateway/docker/engine/connect.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { benchImage } from './bench-stack.ts';

/**
 * The engine calls that a ghost needs, made directly over the gateway's own connection, with the same hardening and
 * nothing else.
 */
export function rawEngine(host: LabHost): () => Promise<number> {
  const { docker } = connect({ name: host.name, engine: host.url, tls: host.tls });
  return async () => {
    const began = performance.now();
    const container = await docker.createContainer(body);
    const stream = (await container.attach({
      hijack: true,
      stream: true,
      stdin: true,
      stdout: true,
      stderr: true,
    })) as Duplex;
    stream.resume();
    await container.start();
    await once(stream, 'end');
    stream.destroy();
    return performance.now() - began;
  };
}

const body = {
  Image: benchImage,
  Cmd: ['true'],
  User: '1000:1000',
  WorkingDir: '/',
  NetworkDisabled: true,
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
  OpenStdin: true,
  StdinOnce: true,
  HostConfig: {
    AutoRemove: true,
    LogConfig: { Type: 'none', Config: {} },
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    ReadonlyRootfs: true,
    Memory: 256 * 1024 ** 2,
    MemorySwap: 256 * 1024 ** 2,
    NanoCpus: 1e9,
    PidsLimit: 256,
    Tmpfs: {
      '/tmp': 'rw,exec,nosuid,nodev,mode=1777,size=512m',
      '/home/ghost': 'rw,exec,nosuid,nodev,uid=1000,gid=1000,size=512m',
    },
  },
};
