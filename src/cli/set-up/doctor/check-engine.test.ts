import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkEngine } from './check-engine.ts';

let folder: string;
let server: Server;
let engine: string;
let info: unknown;

/** An engine that says of itself what the test wants. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clawrden-check-'));
  const socketPath = join(folder, 'engine.sock');
  server = createServer((_request, response) => response.end(JSON.stringify(info)));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  engine = `unix://${socketPath}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const usable = {
  ServerVersion: '26.1.5',
  Architecture: 'x86_64',
  ...{ MemoryLimit: true, PidsLimit: true, CpuCfsQuota: true },
};

test.each([
  [{ MemoryLimit: false }, 'does not limit memory (host-limits)'],
  [{ PidsLimit: undefined, CpuCfsQuota: 'true' }, 'does not limit processes and processors (host-limits)'],
  [{ Architecture: 'riscv64' }, 'runs on "riscv64" (host-processor)'],
  [{ SecurityOptions: ['name=userns'] }, 'maps users (name=userns)'],
])('A-272: doctor says of a host what the gateway refuses it for: %o', async (change, why) => {
  info = { ...usable, ...change };
  expect(await checkEngine('host h', { engine }, true)).toMatchObject({
    ...{ check: 'host h', level: 'error', text: `${engine} ${why}`, fix: expect.stringMatching(/engine/) },
  });
  // The engine of an agent host runs no ghosts.
  expect(await checkEngine('engine', { engine }, false)).toMatchObject({ level: 'ok' });
});

test('an engine that can be a host is good, also if it says nothing of security', async () => {
  info = usable;
  expect(await checkEngine('host h', { engine }, true)).toMatchObject({
    ...{ level: 'ok', text: `${engine}, Docker 26.1.5` },
  });
});
