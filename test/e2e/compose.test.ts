import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { destinationOf } from '../demo/destination-of.ts';
import type { Asked } from '../examples/scripted-model.ts';
import { attempt, type CommandResult, run } from '../lab/command.ts';
import { nodeImage } from '../lab/images/catalogue.ts';
import { findNodeSources } from '../lab/images/node-root.ts';
import { checkout } from '../lab/names.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';

const minutes = 60_000;
/** What the policy names; here it is an image that was made on this machine. */
const ghostImage = 'node:24-bookworm-slim';

/** The package and three images take minutes to make; `house/compose` holds the files in every run. */
const isLong = process.env['CLAWRDEN_LONG'] === '1';

describe.skipIf(!hasLab() || !isLong)('docker-compose.yml, with the images of the package', () => {
  let before: string[];
  let folder: string;
  let files: string[];

  const engine = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await sharedLab().agentHost.docker(args, { timeout: 2 * minutes });
    expect(code === 0 ? '' : stderr).toBe('');
    return stdout.trim();
  };

  const compose = (...args: string[]): Promise<CommandResult> => {
    const { socket } = sharedLab().agentHost;
    const env = {
      ...process.env,
      DOCKER_HOST: `unix://${socket}`,
      DOCKER_SOCKET: socket,
      NODE_IMAGE: nodeImage,
      // Debian's engine has no plugin for it.
      DOCKER_BUILDKIT: '0',
      MODEL_KEY: join(folder, 'model-key'),
    };
    const named = files.flatMap((file) => ['--file', file]);
    const argv = ['docker-compose', ...named, '--project-name', 'clawrden-test', ...args];
    return attempt(argv, { cwd: checkout, env, timeout: 15 * minutes });
  };

  /** Containers, volumes and networks of the engine. */
  const present = async (): Promise<string[]> => {
    const lists = await Promise.all([
      engine('ps', '--all', '--format', '{{.Names}}'),
      engine('volume', 'ls', '--format', '{{.Name}}'),
      engine('network', 'ls', '--format', '{{.Name}}'),
    ]);
    return lists.flatMap((list) => list.split('\n')).filter((name) => name !== '');
  };

  const removeSharedVolume = async (): Promise<void> => {
    const volumes = await engine('volume', 'ls', '--quiet', '--filter', 'label=clawrden.init');
    if (volumes !== '') await engine('volume', 'rm', ...volumes.split('\n'));
  };

  /** The policy, with the registry that npm has on this machine. */
  const nameRegistry = async (): Promise<void> => {
    const text = await readFile(join(checkout, 'docker/policy.yaml'), 'utf8');
    const named = '"registry.npmjs.org:443"';
    expect(text).toContain(named);
    const { registry } = await findNodeSources();
    const policy = join(folder, 'policy.yaml');
    await writeFile(policy, text.replace(named, await destinationOf(registry)));
    const gateway = { volumes: [`${policy}:/etc/clawrden/policy.yaml:ro`] };
    await writeFile(join(folder, 'registry.yml'), stringify({ services: { gateway } }));
  };

  const typed = (...argv: string[]) => compose('exec', '-T', 'agent', ...argv);
  const atGateway = (...argv: string[]) => compose('exec', '-T', 'gateway', ...argv);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clawrden-compose-'));
    await nameRegistry();
    files = ['docker-compose.yml', join(folder, 'registry.yml')];
    await removeSharedVolume();
    before = await present();
    await run([join(checkout, 'scripts/package'), '--own'], { timeout: 15 * minutes });
    await engine('tag', nodeImage, ghostImage);
    const { code, stdout, stderr } = await compose('up', '--build', '--detach');
    if (code !== 0) throw new Error(`docker-compose up ended with ${code}: ${stdout}${stderr}`);
  }, 30 * minutes);

  afterAll(async () => {
    await compose('down', '--volumes');
    await removeSharedVolume();
    const images = ['gateway', 'relay', 'agent', 'example-agent'].map((name) => `clawrden-${name}`);
    await sharedLab().agentHost.docker(['rmi', ...images, ghostImage]);
    await engine('image', 'prune', '--force');
    await rm(folder, { recursive: true, force: true });
  }, 5 * minutes);

  test('once it is up, gateway and relay are healthy, and the relay is enrolled', async () => {
    const states = await engine('ps', '--format', '{{.Names}} {{.Status}}');
    expect(states).toMatch(/^clawrden-test_gateway_1 Up .*\(healthy\)$/m);
    expect(states).toMatch(/^clawrden-test_relay_1 Up .*\(healthy\)$/m);
    expect((await atGateway('clawrden', 'relays')).stdout).toContain('local');
  });

  test('the dashboard answers by TLS, under the name that browsers of this machine use', async () => {
    const state = '/var/lib/clawrden/gateway';
    const script =
      "fetch('https://localhost:8080/').then(async (it) => console.log(it.status, await it.text()))";
    const trusting = ['env', `NODE_EXTRA_CA_CERTS=${state}/ca.pem`];
    const { stdout, stderr } = await atGateway(...trusting, 'node', '-e', script);
    expect(`${stdout}${stderr}`).toMatch(/^200 <!doctype html>[^]*<div id="page">/i);
    expect((await atGateway('clawrden', 'dashboard')).stdout).toMatch(
      /^https:\/\/localhost:8080\/#code=\S+\n$/,
    );
    const port = ['port', 'clawrden-test_gateway_1'];
    expect(await engine(...port)).toBe('8080/tcp -> 127.0.0.1:8080');
  });

  test('the main job: a command in a ghost, one that a person approves, one that is refused', async () => {
    expect(await typed('npm', '--version')).toMatchObject({ code: 0, stderr: '' });
    const installing = typed('npm', 'install', 'is-number');
    let id = '';
    await waitUntil('the question', 2 * minutes, async () => {
      const { stdout, stderr } = await atGateway('clawrden', 'pending', '--json');
      expect(stderr).toBe('');
      const [question] = JSON.parse(stdout) as { id: string }[];
      id = question?.id ?? '';
      return id !== '';
    });
    expect(await atGateway('clawrden', 'approve', id)).toMatchObject({ code: 0 });
    const installed = await installing;
    expect(`${installed.code} ${installed.stderr}`).toBe('0 ');
    expect(installed.stdout).toContain('added 1 package');
    expect((await typed('ls', 'node_modules')).stdout).toBe('is-number\n');
    expect(await typed('npm', 'publish')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('clawrden: denied-by-default: '),
    });
  });

  test('the images hold the package and nothing of a checkout, and only what needs root is root', async () => {
    const at = '/opt/clawrden/node_modules/clawrden';
    const inside = await engine('run', '--rm', 'clawrden-gateway', 'ls', at, `${at}/build`);
    expect(inside.split('\n')).not.toContain('src/cli');
    expect(inside).toContain('dashboard');
    expect(inside).not.toMatch(/^(gateway|shim|test|tsconfig.json)$/m);
    expect(await engine('run', '--rm', 'clawrden-agent', 'id', '-u')).toBe('1000');
    const start =
      'id -u; clawrden init --dir gateway --name a >&2; timeout 5 clawrden gateway --config gateway/gateway.yaml';
    const { stdout, stderr } = await sharedLab().agentHost.docker([
      'run',
      '--rm',
      'clawrden-gateway',
      'sh',
      '-c',
      start,
    ]);
    expect(stdout).toBe('1000\n');
    expect(stderr).toContain('"msg":"ready"');
  });

  /** A server of the same network, with the files of this checkout. */
  const writeModel = async (steps: readonly object[]): Promise<string> => {
    const model = {
      image: nodeImage,
      command: ['node', '/opt/model/scripted-model-main.ts', '0.0.0.0', JSON.stringify(steps), '8000'],
      volumes: [`${join(checkout, 'test/examples')}:/opt/model:ro`],
    };
    const file = join(folder, 'model.yml');
    await writeFile(join(folder, 'model-key'), 'key-of-the-model\n');
    await writeFile(file, stringify({ services: { model } }));
    return file;
  };

  test('the example agent in the place of the agent: it reaches its model, and its commands are judged', async () => {
    const call = (program: string, ...args: string[]) => ({
      calls: [{ name: 'run', arguments: JSON.stringify({ program, args }) }],
    });
    const model = await writeModel([call('npm', '--version'), call('npm', 'publish'), call('ls', '/app')]);
    files = ['docker-compose.yml', 'examples/agent/docker-compose.yml', model];
    const { code, stdout, stderr } = await compose('up', '--build', '--detach');
    expect(code === 0 ? '' : `${stdout}${stderr}`).toBe('');
    const ended = await engine('wait', 'clawrden-coder');
    const logs = await sharedLab().agentHost.docker(['logs', 'clawrden-coder']);
    expect({ ended, ...logs }).toMatchObject({ ended: '0', stdout: 'It is done.\n', stderr: '' });
    const asked = (await compose('logs', '--no-color', 'model')).stdout.trim().split('\n').at(-1) ?? '';
    const told = JSON.parse(asked.slice(asked.indexOf('{'))) as Asked;
    const results = told.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results).toEqual([
      expect.stringMatching(/^exit code 0\n[^]*\d+\.\d+\.\d+/),
      expect.stringMatching(/^exit code 1\n[^]*denied-by-default/),
      expect.stringContaining('node_modules'),
    ]);
    const inspected = await engine('inspect', 'clawrden-coder', '--format', '{{json .}}');
    expect(inspected).toContain('127.0.0.1:3128/model');
    expect(inspected).not.toContain('key-of-the-model');
  });

  test('it goes down and leaves the volume that every gateway of the engine shares, and nothing else', async () => {
    expect(await compose('stop')).toMatchObject({ code: 0 });
    // By themselves: what is killed after its time has 137.
    const ended = await engine('ps', '--all', '--format', '{{.Names}} {{.Status}}');
    expect(ended).toMatch(/^clawrden-test_gateway_1 Exited \(0\)/m);
    expect(ended).toMatch(/^clawrden-test_relay_1 Exited \(0\)/m);
    expect(await compose('down', '--volumes')).toMatchObject({ code: 0 });
    const left = (await present()).filter((name) => !before.includes(name));
    expect(left).toEqual([expect.stringMatching(/^clawrden-init-[0-9a-f]{12}$/)]);
    await removeSharedVolume();
    expect(await present()).toEqual(before);
  });
});
