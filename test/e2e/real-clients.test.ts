import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { resolveName } from '../../src/egress/resolve-name.ts';
import { run } from '../lab/command.ts';
import { nodeImage } from '../lab/images/catalogue.ts';
import { findNodeSources } from '../lab/images/node-root.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { clientCommands } from './client-commands.ts';
import { clientImage, makeClientImage, removeClientImage } from './client-image.ts';
import { type Internet, startInternet } from './internet.ts';
import { type PackageServers, sshPort, startPackageServers } from './package-servers.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
/** `registry`: NAME:PORT, as npm's own configuration has it. */
const policyFor = (registry: string) => `version: 1
default: deny
workspace: /app
timeout: 5m
networks:
  registry: { allow: [{ to: "${registry}", private: true }] }
  mirror: { routes: [npm] }
  packages: { allow: [{ to: "packages.example:443", private: true }] }
  code:
    allow:
      - { to: "git.example:443", private: true }
      - { to: "git.example:${sshPort}", private: true }
tools:
  npm: { strategy: ghost, image: "${nodeImage}", memory: 1g, network: registry }
  node: { strategy: ghost, image: "${nodeImage}", memory: 512m }
  pip3: { strategy: ghost, image: "${clientImage}", memory: 512m, network: packages }
  python3: { strategy: ghost, image: "${clientImage}", memory: 512m }
  git: { strategy: ghost, image: "${clientImage}", memory: 512m, network: code, secrets: { /run/secrets/deploy: deploy } }
  ssh: { strategy: ghost, image: "${clientImage}", memory: 512m, network: code, secrets: { /run/secrets/deploy: deploy } }
rules:
  - { name: by-route, tools: [npm], args: ["ci"], action: allow, network: mirror }
  - { name: by-name, tools: [npm], args: ["install", "**"], action: allow }
  - { name: others, tools: [node, pip3, python3, git, ssh], action: allow }
complete: true
`;

describe.skipIf(!hasLab())('real clients, with nothing but destinations and routes', () => {
  let internet: Internet;
  let servers: PackageServers;
  let stack: Stack;
  let registry: string;
  const host = () => sharedLab().hosts[0]!;
  const { type, own, forget, reached } = clientCommands(() => stack);

  beforeAll(async () => {
    const { hostname, port } = new URL((await findNodeSources()).registry);
    registry = `${hostname}:${port || 443}`;
    internet = await startInternet();
    servers = await startPackageServers(internet, isLong ? 2000 : 50);
    const here = [[internet.address]] as [string[]];
    const there = [[...(await resolveName(hostname, AbortSignal.timeout(30_000)))]] as [string[]];
    await internet.order({
      zone: { 'packages.example': here, 'git.example': here, [hostname]: there },
    });
    await makeClientImage(host());
    const to = (await findNodeSources()).registry;
    const environment = { npm_config_registry: '{url}' };
    stack = await startStack(
      { ...sharedLab(), hosts: [host()] },
      {
        ...{ name: 'clients', policy: policyFor(registry), under: internet.under },
        gateway: {
          // One line break at the end of a secret is left out, and ssh wants one.
          secrets: { deploy: { env: 'DEPLOY_KEY' } },
          routes: { npm: { to, private: true, environment } },
        },
        env: { ...process.env, DEPLOY_KEY: `${servers.sshKey}\n` },
      },
    );
    await own('ca.pem', servers.authority);
    await own('.known_hosts', servers.knownHosts);
  }, 300_000);
  afterAll(async () => {
    await stack?.stop();
    await servers?.[Symbol.asyncDispose]();
    await internet?.[Symbol.asyncDispose]();
    await removeClientImage(host());
  });
  beforeEach(forget);

  test('npm installs from its registry by name, and again by a route', async () => {
    await own('package.json', '{ "name": "tried", "version": "1.0.0" }');
    const packages = isLong ? ['is-number', 'express'] : ['is-number'];
    const installed = await type('npm', 'install', ...packages);
    expect(installed).toMatchObject({ code: 0 });
    expect(installed.stdout.toString()).toMatch(/added \d+ package/);
    const connections = await reached();
    for (const connection of connections)
      expect(connection).toMatchObject({ to: registry, outcome: 'closed', route: '' });
    const first = connections[0]?.['execution'];
    await forget();
    const again = await type('npm', 'ci');
    expect(again.stdout.toString()).toMatch(/added \d+ package/);
    // A record of the first one may come late.
    const later = async () => (await reached()).filter(({ execution }) => execution !== first);
    await expect.poll(async () => (await later()).length).toBeGreaterThan(0);
    expect((await later()).filter(({ route }) => route !== 'npm')).toEqual([]);
    const used = await type('node', '-p', 'require("is-number")(42)');
    expect(used.stdout.toString()).toBe('true\n');
  });

  test('pip installs from an index by name, over TLS', async () => {
    const index = 'https://packages.example/simple';
    const { code, stderr } = await type(
      'pip3',
      'install',
      '--target',
      '/app/py',
      '--index-url',
      index,
      'tiny',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    expect(await reached()).toMatchObject([{ to: 'packages.example:443', outcome: 'closed' }]);
    const used = await type(
      'python3',
      '-c',
      'import sys; sys.path.append("py"); import tiny; print(tiny.said)',
    );
    expect(used.stdout.toString()).toBe('tiny is here\n');
  });

  test('pip shows the line of what is refused', async () => {
    const index = 'https://other.example/simple';
    const args = ['--index-url', index, '--retries', '1', '--target', '/app/no', 'tiny'];
    const { code, stdout, stderr } = await type('pip3', 'install', ...args);
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/clawrden: egress-denied: other\.example:443 is not a destination/);
    expect(await reached(2)).toMatchObject([{ outcome: 'denied' }, { outcome: 'denied' }]);
  });

  test.each([
    ['https', 'https://git.example/made.git', 443],
    ['ssh', '', sshPort],
  ])('git clones, commits and pushes over %s', async (scheme, url, port) => {
    const from = url || `ssh://root@git.example:${sshPort}${servers.repository}`;
    const cloned = await type('git', 'clone', '-q', from, scheme);
    expect(cloned).toMatchObject({ code: 0, stderr: '' });
    expect(await reached()).toMatchObject([{ to: `git.example:${port}`, outcome: 'closed' }]);
    await own(`${scheme}/more`, `${scheme}\n`);
    const as = ['-C', scheme, '-c', 'user.name=coder', '-c', 'user.email=coder@git.example'];
    expect(await type('git', ...as, 'add', 'more')).toMatchObject({ code: 0 });
    expect(await type('git', ...as, 'commit', '-q', '-m', scheme)).toMatchObject({ code: 0 });
    expect(await type('git', ...as, 'push', '-q', 'origin', `HEAD:${scheme}`)).toMatchObject({ code: 0 });
    const there = ['git', '-C', servers.repository, 'show', `${scheme}:more`];
    expect(await run(there)).toBe(`${scheme}\n`);
  });

  test.each([
    ['git over https', ['git', 'ls-remote', 'https://other.example/made.git'], 'other.example:443'],
    ['git over ssh', ['git', 'ls-remote', 'ssh://git.example:22/made.git'], 'git.example:22'],
    [
      'ssh',
      ['ssh', '-o', 'ProxyCommand=/.clawrden/connect %h %p', '-p', '22', 'git.example', 'true'],
      'git.example:22',
    ],
  ])('A-260 P14: %s reaches nothing else, and shows the line', async (what, argv, to) => {
    const { code, stderr } = await type(...argv);
    expect(code).not.toBe(0);
    // Git's library for https shows the number of the answer only.
    if (!what.includes('https'))
      expect(stderr).toContain(`clawrden: egress-denied: ${to} is not a destination of network code`);
    expect(await reached()).toMatchObject([{ to, outcome: 'denied' }]);
  });
});
