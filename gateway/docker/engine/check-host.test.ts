import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOpenEngine } from '../open-engine.ts';
import { checkHost, pingEngine } from './check-host.ts';

let folder: string;
let server: Server;
let docker: Docker;
let info: unknown;
let pings: boolean;

/** An engine that reports about itself what the test wants. */
beforeEach(async () => {
  pings = false;
  folder = mkdtempSync(join(tmpdir(), 'clawrden-check-'));
  const socketPath = join(folder, 'engine.sock');
  server = createServer((request, response) => {
    if (request.url === '/_ping' && pings) response.end('OK');
    if (request.url === '/info') response.end(JSON.stringify(info));
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  docker = new Docker({ socketPath });
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const limits = { MemoryLimit: true, PidsLimit: true, CpuCfsQuota: true };

test.each(['name=userns', 'name=rootless'])('an engine with %s is refused', async (option) => {
  info = { Architecture: 'x86_64', SecurityOptions: ['name=seccomp,profile=default', option] };
  await expect(checkHost(docker, 'h')).rejects.toMatchObject({
    code: 'no-host',
    message: expect.stringMatching(/^host h: host-userns: .*; use another engine$/),
  });
});

test.each([
  { Architecture: 'x86_64', SecurityOptions: ['name=seccomp,profile=default', 'name=cgroupns'] },
  { Architecture: 'x86_64' },
])('an engine without is taken: %o', async (answer) => {
  info = { ...limits, ...answer };
  await expect(checkHost(docker, 'h')).resolves.toBe('x64');
});

test.each([
  [{ MemoryLimit: false }, 'memory'],
  [{ PidsLimit: undefined }, 'processes'],
  [{ CpuCfsQuota: 'true', PidsLimit: false }, 'processes and processors'],
])('A-272: an engine that does not limit what containers take is refused: %o', async (change, what) => {
  info = { Architecture: 'x86_64', ...limits, ...change };
  await expect(checkHost(docker, 'h')).rejects.toMatchObject({
    code: 'no-host',
    message: expect.stringMatching(new RegExp(`^host h: host-limits: its engine does not limit ${what}; `)),
  });
});

test.each([{ Architecture: 'riscv64' }, { Architecture: 7 }, {}])(
  'an engine on a processor that we do not build for is refused: %o',
  async (answer) => {
    info = { ...limits, ...answer };
    await expect(checkHost(docker, 'h')).rejects.toMatchObject({
      code: 'no-host',
      message: expect.stringMatching(/^host h: host-processor: .*; use another engine$/),
    });
  },
);

test('an engine gets the programs for its own processor, or a line that says how to build them', async () => {
  pings = true;
  info = { Architecture: 'aarch64', ...limits };
  const asked: string[] = [];
  const filesFor = (processor: string) => {
    asked.push(processor);
    throw new Error('clawrden-init is not built for arm64; run scripts/package');
  };
  const address = { name: 'h', engine: `unix://${join(folder, 'engine.sock')}` };
  const engine = createOpenEngine('g', filesFor, { warn: () => {} })(address);
  await expect(engine.ping()).rejects.toMatchObject({
    code: 'no-host',
    message: 'host h: host-processor: clawrden-init is not built for arm64; run scripts/package',
  });
  expect(asked).toEqual(['arm64']);
  engine.close();
});

test('P24 a ping that gets no answer ends in 3 s', async () => {
  const before = performance.now();
  await expect(pingEngine(docker)).rejects.toThrow('no answer within 3 s');
  expect(performance.now() - before).toBeLessThan(3500);
});
