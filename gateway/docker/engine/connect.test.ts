import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connect } from './connect.ts';
import { getJson } from './get-json.ts';

describe('connecting to an engine', () => {
  let folder: string;
  let server: Server;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'clawrden-connect-'));
    server = createServer((request, response) => response.end(JSON.stringify({ path: request.url })));
    await new Promise<void>((resolve) => server.listen(join(folder, 'engine.sock'), resolve));
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  test('a unix socket is used, whatever DOCKER_* variables say', async () => {
    vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:1');
    vi.stubEnv('DOCKER_TLS_VERIFY', '1');
    vi.stubEnv('DOCKER_PATH_PREFIX', '/elsewhere');
    const { docker } = connect({ name: 'h', engine: `unix://${join(folder, 'engine.sock')}` });
    await expect(getJson(docker, '/info', 1000)).resolves.toEqual({ path: '/info' });
  });

  test.each([
    ['ssh://-oProxyCommand=x', undefined, /^host h: engine: "ssh:\/\/-oProxyCommand=x" names no machine; /],
    ['tcp://127.0.0.1:2375', undefined, /^host h: engine: tcp:\/\/ without tls/],
    ['build-1:2376', undefined, /^host h: engine: build-1:\/\/ is no way to an engine; /],
    ['nonsense', undefined, /^host h: engine: "nonsense" is not a URL; /],
    ['tcp://b:2376', { ca: '/none/ca', cert: '/none/c', key: '/none/k' }, /^host h: tls\.ca: .*ENOENT/],
  ])('refuses %s', (engine, tls, message) => {
    expect(() => connect({ name: 'h', engine, ...(tls === undefined ? {} : { tls }) })).toThrow(message);
  });
});
