import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pingEngine, refuseMappedUsers } from './check-host.ts';

let folder: string;
let server: Server;
let docker: Docker;
let info: unknown;

/** An engine that reports about itself what the test wants. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clawrden-check-'));
  const socketPath = join(folder, 'engine.sock');
  server = createServer((request, response) => {
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

test.each(['name=userns', 'name=rootless'])('an engine with %s is refused', async (option) => {
  info = { SecurityOptions: ['name=seccomp,profile=default', option] };
  await expect(refuseMappedUsers(docker, 'h')).rejects.toMatchObject({
    code: 'no-host',
    message: expect.stringMatching(/^host h: host-userns: .*; use another engine$/),
  });
});

test.each([{ SecurityOptions: ['name=seccomp,profile=default', 'name=cgroupns'] }, {}])(
  'an engine without is taken: %o',
  async (answer) => {
    info = answer;
    await expect(refuseMappedUsers(docker, 'h')).resolves.toBeUndefined();
  },
);

test('P24 a ping that gets no answer ends in 3 s', async () => {
  const before = performance.now();
  await expect(pingEngine(docker)).rejects.toThrow('no answer within 3 s');
  expect(performance.now() - before).toBeLessThan(3500);
});
