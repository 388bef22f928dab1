import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../gateway/docker/engine/connect.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { benchImage } from './bench-stack.ts';

/** Megabytes a second into the stdin of such a container, which reads them and does nothing else. */
export async function intoRawEngine(host: LabHost, bytes: number): Promise<number> {
  const { docker } = connect({ name: host.name, engine: host.url, tls: host.tls });
  const container = await docker.createContainer({ ...body, Cmd: ['dd', 'of=/dev/null', 'bs=64k'] });
  const stream = (await container.attach(attached)) as Duplex;
  stream.resume();
  await container.start();
  const began = performance.now();
  const chunk = Buffer.alloc(64 * 1024);
  for (let sent = 0; sent < bytes; sent += chunk.length)
    if (!stream.write(chunk)) await once(stream, 'drain');
  stream.end();
  await container.wait();
  stream.destroy();
  return bytes / 1e3 / (performance.now() - began);
}

/**
 * Milliseconds of each of `count` pairs of bytes, 20 ms apart, that such a container sends back, the second after the
 * first.
 */
export async function echoedByRawEngine(host: LabHost, count: number): Promise<number[]> {
  const { docker } = connect({ name: host.name, engine: host.url, tls: host.tls });
  const container = await docker.createContainer({ ...body, Cmd: ['cat'] });
  const stream = (await container.attach(attached)) as Duplex;
  await container.start();
  const taken: number[] = [];
  for (let pair = 0; pair < count; pair++) {
    const began = performance.now();
    for (let echo = 0; echo < 2; echo++) {
      stream.write('x');
      await once(stream, 'data');
    }
    taken.push(performance.now() - began);
    await sleep(20);
  }
  stream.end();
  await container.wait();
  stream.destroy();
  return taken;
}

/**
 * The engine calls that a ghost needs, made directly over the gateway's own connection, with the same hardening and
 * nothing else.
 */
export function rawEngine(host: LabHost): () => Promise<number> {
  const { docker } = connect({ name: host.name, engine: host.url, tls: host.tls });
  return async () => {
    const began = performance.now();
    const container = await docker.createContainer(body);
    const stream = (await container.attach(attached)) as Duplex;
    stream.resume();
    await container.start();
    await once(stream, 'end');
    stream.destroy();
    return performance.now() - began;
  };
}

const attached = { hijack: true, stream: true, stdin: true, stdout: true, stderr: true };

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
