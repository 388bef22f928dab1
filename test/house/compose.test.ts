import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadGatewayConfig } from '../../src/config/load-gateway-config.ts';
import { loadRelayConfig } from '../../src/config/relay-config.ts';
import { packageRoot } from '../../src/package-root.ts';
import { loadPolicy } from '../../src/policy/file/parse-policy.ts';
import { checkPolicy } from '../../src/policy/review/check-policy.ts';
import { attempt } from '../lab/command.ts';

const root = packageRoot();
const inDocker = (name: string) => join(root, 'docker', name);

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      { readonly container_name?: string; readonly network_mode?: string; readonly volumes: string[] }
    >
  >;
  readonly volumes: Readonly<Record<string, { readonly name?: string } | null>>;
}

test('what docker-compose.yml runs can be read by what it runs, and agrees with it', async () => {
  const { services, volumes } = parse(await readFile(join(root, 'docker-compose.yml'), 'utf8')) as Compose;
  const [agent] = loadGatewayConfig(inDocker('gateway.yaml')).agents;
  const [relayed] = loadRelayConfig(inDocker('relay.yaml')).agents;
  expect(checkPolicy(loadPolicy(inDocker('policy.yaml'))).errors).toEqual([]);
  expect(relayed).toMatchObject({
    name: agent?.name,
    users: agent?.users,
    container: services['agent']?.container_name,
  });
  expect(agent?.workspace).toEqual({ kind: 'volume', source: volumes['app']?.name });
  expect(services['agent']).toMatchObject({ network_mode: 'none' });
  expect(services['agent']?.volumes.join()).not.toContain('docker.sock');
});

test('every file that docker-compose.yml mounts and the Dockerfile copies is there', async () => {
  const compose = await readFile(join(root, 'docker-compose.yml'), 'utf8');
  const dockerfile = await readFile(inDocker('Dockerfile'), 'utf8');
  const mounted = [...compose.matchAll(/- \.\/(\S+?):/g)].map(([, path]) => path ?? '');
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths = '']) =>
    // The package is made before the images are (`e2e/compose`).
    paths.split(' ').filter((path) => !path.startsWith('build/')),
  );
  expect(mounted.length + copied.length).toBeGreaterThan(4);
  expect([...mounted, ...copied].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('the example agent has the gateway and the policy of docker-compose.yml, and a model', async () => {
  const read = async (file: string) => parse(await readFile(join(root, file), 'utf8')) as object;
  const { secrets: _, routes, agents, ...gateway } = (await read('examples/agent/gateway.yaml')) as Example;
  const [{ network, ...agent } = {}] = agents;
  expect({ ...gateway, agents: [agent] }).toEqual(await read('docker/gateway.yaml'));
  const { networks, ...policy } = (await read('examples/agent/policy.yaml')) as ExamplePolicy;
  const { [network ?? '']: thinking, ...others } = networks;
  expect({ ...policy, networks: others }).toEqual(await read('docker/policy.yaml'));
  expect(thinking).toEqual({ routes: Object.keys(routes) });
  loadGatewayConfig(join(root, 'examples/agent/gateway.yaml'));
  expect(checkPolicy(loadPolicy(join(root, 'examples/agent/policy.yaml'))).errors).toEqual([]);
});

interface Example {
  readonly secrets: object;
  readonly routes: object;
  readonly agents: readonly { readonly network?: string }[];
}

interface ExamplePolicy {
  readonly networks: Readonly<Record<string, object>>;
}

/** Debian's; it refuses what it does not know. */
const hasCompose = (await attempt(['sh', '-c', 'command -v docker-compose'])).code === 0;

test.skipIf(!hasCompose)(
  'docker-compose reads docker-compose.yml, and takes the base image from outside',
  async () => {
    const env = { ...process.env, NODE_IMAGE: 'here:1', DOCKER_SOCKET: '/run/here.sock' };
    const { code, stdout, stderr } = await attempt(['docker-compose', 'config'], { cwd: root, env });
    expect(`${code} ${stderr}`).toBe('0 ');
    const { services } = parse(stdout) as {
      services: Record<string, { build?: { args: object }; volumes?: string[] }>;
    };
    for (const name of ['gateway', 'relay', 'agent'])
      expect(services[name]?.build?.args).toEqual({ NODE_IMAGE: 'here:1' });
    expect(services['gateway']?.volumes).toContain('/run/here.sock:/var/run/docker.sock:rw');
  },
);
