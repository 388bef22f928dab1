import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busyboxImage } from '../lab/images/catalogue.ts';
import type { Lab } from '../lab/lab.ts';
import { type Registry, startRegistry } from '../lab/registry.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { engineOf } from './engine-fixture.ts';
import { type Typed, typed } from './typed.ts';

const noDigest = '0'.repeat(64);
const mebibyte = 1024 * 1024;

describe.skipIf(!hasLab())('images that no host has', () => {
  let lab: Lab;
  let registry: Registry;
  let road: Road;
  let reference: string;
  let stack: Stack;
  const agent = () => stack.agents.puller!;

  beforeAll(async () => {
    lab = sharedLab();
    registry = await startRegistry(lab);
    road = await slowRoad(lab.machine, registry.address, 2 * mebibyte);
    const pushed = await registry.push(lab.hosts[0]!, await madeImage(6), 'pulled');
    reference = pushed.replace(registry.address, road.address);
    // The engine would not pull layers that the host has.
    await lab.hosts[0]!.docker(['rmi', '--force', 'pull-test:made']);
    const tag = `${registry.address}/pulled:pushed`;
    const unknown = `${registry.address}/pulled@sha256:${noDigest}`;
    stack = await startStack(lab, {
      name: 'pull',
      policy: policyOf(reference, tag, unknown),
      agents: { puller: {} },
    });
  });
  afterAll(async () => {
    await stack?.stop();
    road?.close();
    await registry?.[Symbol.asyncDispose]();
    for (const host of lab.hosts) await removeImage(host.name);
  });

  test('a name with a digest is pulled once, to one host, however many wait for it; a terminal is told how far it is', async () => {
    const [onTerminal, ...others] = await Promise.all([
      lab.agentHost.docker(['exec', '--tty', agent().name, 'seq', '2']),
      typed(agent(), ['seq', '2']),
      typed(agent(), ['seq', '2']),
    ]);
    expect(onTerminal.stdout).toMatch(/^(clawrden: pulling image \d+ %\r\n)+1\r\n2\r\n$/);
    const told = [...onTerminal.stdout.matchAll(/ (\d+) %/g)].map(([, percent]) => Number(percent));
    expect(told).toEqual([...new Set(told)].toSorted((a, b) => a - b));
    expect(told.filter((percent) => percent > 0 && percent < 100).length).toBeGreaterThan(1);
    for (const end of others)
      expect([end.code, end.stderr, end.stdout.toString()]).toEqual([0, '', '1\n2\n']);
    const holding = await Promise.all(lab.hosts.map((host) => host.docker(['image', 'inspect', reference])));
    expect(holding.filter(({ code }) => code === 0)).toHaveLength(1);
  });

  test('a tag is never pulled: image-missing', async () => {
    expectMissing(await typed(agent(), ['tac']));
  });

  test('what the registry does not have: image-missing', async () => {
    expectMissing(await typed(agent(), ['nl']));
  });

  test('a pull from a registry that does not answer ends when it is to', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, lab.machine, resolve));
    const { port } = silent.address() as { port: number };
    const engine = engineOf(lab.hosts[0]!, 'pulls');
    const began = performance.now();
    const pull = engine.pullImage(
      `${lab.machine}:${port}/x@sha256:${noDigest}`,
      () => {},
      AbortSignal.timeout(1000),
    );
    await expect(pull).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(performance.now() - began).toBeLessThan(2000);
    engine.close();
    silent.close();
  });

  /** Busybox with that many additional mebibytes that no other image has. */
  async function madeImage(size: number): Promise<string> {
    const host = lab.hosts[0]!;
    const script = `dd if=/dev/urandom of=/more bs=1M count=${size}`;
    const { stdout } = await host.docker(['run', '--detach', busyboxImage, 'ghostly', script]);
    const id = stdout.trim();
    await host.docker(['wait', id]);
    const made = await host.docker(['commit', id, 'pull-test:made']);
    if (made.code !== 0) throw new Error(made.stderr);
    await host.docker(['rm', id]);
    return 'pull-test:made';
  }

  async function removeImage(name: string): Promise<void> {
    const host = lab.hosts.find((each) => each.name === name)!;
    await host.docker(['rmi', '--force', reference]);
  }
});

interface Road {
  readonly address: string;
  readonly close: () => void;
}

/** Another address of a server, where it sends only so many bytes a second. */
async function slowRoad(host: string, to: string, bytesPerSecond: number): Promise<Road> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(to.split(':')[1]), to.split(':')[0]);
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}));
    near.pipe(far);
    near.on('close', () => far.destroy());
    void (async () => {
      for await (const chunk of far as AsyncIterable<Buffer>) {
        near.write(chunk);
        await sleep((1000 * chunk.length) / bytesPerSecond);
      }
      near.end();
    })().catch(() => near.destroy());
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { address: `${host}:${port}`, close };
}

function policyOf(digest: string, tag: string, unknown: string): string {
  const tool = (image: string) => `{ strategy: ghost, image: "${image}", memory: 64m }`;
  return `version: 1
default: deny
workspace: /app
timeout: 1m
tools:
  seq: ${tool(digest)}
  tac: ${tool(tag)}
  nl: ${tool(unknown)}
rules:
  - { name: all, action: allow }
complete: true
`;
}

function expectMissing({ code, stderr }: Typed): void {
  expect([code, stderr]).toEqual([125, expect.stringMatching(/^clawrden: image-missing: .*\n$/)]);
}
