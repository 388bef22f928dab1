import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../src/carrier-client/hello.ts';
import { startToldHost, type Told, told } from './told-host.ts';

const patience = { timeout: 20_000 };
const relayUid = 4242;
const agentUid = 1000;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-contained-'));
  await chmod(dir, 0o755);
  await mkdir(join(dir, 'roots/coder'), { recursive: true });
});
afterEach(() => rm(dir, { recursive: true }));

function kept(name: string): Told {
  const home = { kind: 'bind', source: join(dir, 'roots', name), target: '/app', excludes: [] } as const;
  return {
    ...told(name, agentUid),
    workspace: { ...home, conflicts: 'keep-agent', limits: defaultLimits },
  };
}

describe.skipIf(process.geteuid?.() !== 0)('a relay that can become no agent', () => {
  const start = (...agents: Told[]) =>
    startToldHost(dir, agents, {}, { 'workspace-roots': [join(dir, 'roots')] }, relayUid);

  test('says why a home cannot be kept if its engine is away, or runs without root', async () => {
    await using host = await start(kept('coder'), kept('gone'));
    const said = (agent: string) => expect.poll(() => host.problem(agent), patience);
    await said('coder').toMatch(/^its workspace is not kept: the carrier cannot be a container of .*ENOENT/);
    const engine = createServer(({ url = '' }, response) => {
      const info = { SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(url.includes('/info') ? info : []));
    });
    const socket = join(dir, 'no-docker.sock');
    await new Promise<void>((resolve) => engine.listen(socket, resolve));
    await chown(socket, relayUid, relayUid);
    await said('coder').toMatch(/runs without root: start the relay as root$/);
    await said('gone').toMatch(/workspace-missing: there is no such folder$/);
    engine.closeAllConnections();
    engine.close();
  });
});
