import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentImage, busyboxImage, nodeImage, scratchImage } from './images/catalogue.ts';
import { type Lab, startLab } from './lab.ts';
import type { LabHost } from './lab-host.ts';
import { hasLab, sharedLab } from './shared-lab.ts';

describe.skipIf(!hasLab())('a lab of two hosts', () => {
  let lab: Lab;
  let hosts: [LabHost, LabHost];
  beforeAll(() => {
    lab = sharedLab();
    hosts = [lab.hosts[0]!, lab.hosts[1]!];
  });

  test('runs containers on both hosts', async () => {
    for (const host of hosts)
      expect(await docker(host, 'run', '--rm', busyboxImage, 'echo', 'hi')).toBe('hi\n');
  });

  test.each([busyboxImage, agentImage, nodeImage, scratchImage])(
    '%s has one id everywhere',
    async (image) => {
      const inspect = ['image', 'inspect', '--format', '{{.Id}}', image];
      const ids = await Promise.all([...hosts, lab.agentHost].map((host) => docker(host, ...inspect)));
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toMatch(/^sha256:/);
    },
  );

  test('engines have identities of their own', async () => {
    const ids = await Promise.all(hosts.map((host) => docker(host, 'info', '--format', '{{.ID}}')));
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('the engine takes the client certificate, and nobody without one', async () => {
    const [cert, key] = await Promise.all([readFile(hosts[0].tls.cert), readFile(hosts[0].tls.key)]);
    expect(await pingByTls(hosts[0], { cert, key })).toBe(200);
    await expect(pingByTls(hosts[0], {})).rejects.toThrow(/bad certificate|certificate required/);
  });

  test('npm install works in a container on a bridge network, as uid 1000', async () => {
    const as = ['--rm', '--user', '1000:1000', '--env', 'HOME=/tmp', '--workdir', '/tmp'];
    const command = 'npm install --silent is-number && ls node_modules && id -un';
    expect(await docker(hosts[1], 'run', ...as, nodeImage, 'sh', '-c', command)).toBe('is-number\nagent\n');
  });

  test('a workspace is the same folder on every engine', async () => {
    const path = await lab.workspaceVolume('clawrden-test');
    const mount = ['--rm', '--user', '1000:1000', '--volume', 'clawrden-test:/app'];
    await docker(hosts[0], 'run', ...mount, busyboxImage, 'sh', '-c', 'echo from build-1 > /app/note');
    await docker(lab.agentHost, 'run', ...mount, agentImage, 'sh', '-c', 'echo from agents-1 >> /app/note');
    expect(await docker(hosts[1], 'run', ...mount, busyboxImage, 'cat', '/app/note')).toBe(
      'from build-1\nfrom agents-1\n',
    );
    expect(await readFile(join(path, 'note'), 'utf8')).toContain('agents-1');
  });
});

describe.skipIf(!hasLab())('two labs at once', () => {
  let first: Lab;
  let second: Lab;
  beforeAll(async () => {
    [first, second] = await Promise.all([startLab({ hosts: 1 }), startLab({ hosts: 1 })]);
  });
  afterAll(() => Promise.all([first?.stop(), second?.stop()]));

  test('have networks of their own', () => {
    expect(first.hosts[0]!.address).not.toBe(second.hosts[0]!.address);
  });

  test('an image removed on one engine stays whole on the others', async () => {
    await docker(first.hosts[0]!, 'rmi', nodeImage);
    expect(await docker(second.hosts[0]!, 'run', '--rm', nodeImage, 'node', '--print', '1+1')).toBe('2\n');
  });

  test('one ends and the other still reaches the network', async () => {
    await first.stop();
    const view = ['run', '--rm', nodeImage, 'npm', 'view', '--silent', 'is-number', 'name'];
    expect(await docker(second.hosts[0]!, ...view)).toBe('is-number\n');
  });
});

async function docker(host: LabHost, ...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await host.docker(args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
}

async function pingByTls(
  host: LabHost,
  client: { cert?: Buffer; key?: Buffer },
): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const url = new URL(host.url.replace('tcp:', 'https:'));
  const options = { path: '/_ping', ca: await readFile(host.tls.ca), agent: false, timeout: 5000, ...client };
  const call = request(url, options, (response) => resolve(response.resume().statusCode));
  call
    .on('error', reject)
    .on('timeout', () => call.destroy(new Error('no answer')))
    .end();
  return promise;
}
