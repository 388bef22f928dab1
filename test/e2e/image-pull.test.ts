import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busyboxImage } from '../lab/images/catalogue.ts';
import type { Lab } from '../lab/lab.ts';
import { type Registry, startRegistry } from '../lab/registry.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { engineOf } from './engine-fixture.ts';
import { type Typed, typed } from './typed.ts';

const noDigest = '0'.repeat(64);

describe.skipIf(!hasLab())('images that no host has', () => {
  let lab: Lab;
  let registry: Registry;
  let reference: string;
  let stack: Stack;
  const agent = () => stack.agents.puller!;

  beforeAll(async () => {
    lab = sharedLab();
    registry = await startRegistry(lab);
    reference = await registry.push(lab.hosts[0]!, await madeImage(), 'pulled');
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
    await registry?.[Symbol.asyncDispose]();
    for (const host of lab.hosts) await removeImage(host.name);
  });

  test('a name with a digest is pulled once, to one host, however many wait for it; a terminal is told', async () => {
    const [onTerminal, ...others] = await Promise.all([
      lab.agentHost.docker(['exec', '--tty', agent().name, 'seq', '2']),
      typed(agent(), ['seq', '2']),
      typed(agent(), ['seq', '2']),
    ]);
    expect(onTerminal.stdout).toMatch(/clawrden: pulling image \d+ %\r\n(.*\r\n)*1\r\n2\r\n$/);
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

  /** The same files as busybox, but an image that no other test knows. */
  async function madeImage(): Promise<string> {
    const [host] = lab.hosts;
    const { stdout } = await host!.docker(['create', busyboxImage]);
    const made = await host!.docker([
      'commit',
      '--change',
      'LABEL pulled=1',
      stdout.trim(),
      'pull-test:made',
    ]);
    if (made.code !== 0) throw new Error(made.stderr);
    await host!.docker(['rm', stdout.trim()]);
    return 'pull-test:made';
  }

  async function removeImage(name: string): Promise<void> {
    const host = lab.hosts.find((each) => each.name === name)!;
    await host.docker(['rmi', '--force', reference, 'pull-test:made']);
  }
});

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
