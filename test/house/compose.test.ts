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
    paths.split(' '),
  );
  expect(mounted.length + copied.length).toBeGreaterThan(10);
  expect([...mounted, ...copied].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
