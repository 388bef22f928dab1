import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../carrier-client/hello.ts';
import { parseRelayConfig } from '../../../config/relay-config.ts';
import type { ToldAgent } from '../../../config/told-agents.ts';
import { checkContained } from './check-contained.ts';
import { checkHomes } from './check-homes.ts';
import { judgeProbe } from './check-stage.ts';
import { probeStage } from './probe-stage.ts';

const isRoot = process.getuid?.() === 0;
const user = { uid: 1000, gid: 1000 };
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-homes-'));
  await chmod(dir, 0o755);
  await mkdir(join(dir, 'app'));
  await chown(join(dir, 'app'), user.uid, user.gid);
});
afterEach(() => rm(dir, { recursive: true }));

const config = () =>
  parseRelayConfig(
    JSON.stringify({ gateway: 'w:1', identity: 'identity', docker: `unix://${dir}/engine.sock` }),
    join(dir, 'relay.yaml'),
  );

const told = (name: string, kind: 'bind' | 'volume', source: string, entries = 1000): ToldAgent => ({
  ...{ name, users: [user] },
  workspace: {
    ...{ kind, source, target: '/app', excludes: [], conflicts: 'keep-agent' },
    limits: { ...defaultLimits, entries },
  },
});

/** An engine with the one volume `app`. */
async function startEngine(securityOptions: readonly string[] = []): Promise<AsyncDisposable> {
  const server = createServer(({ url }, response) => {
    response.statusCode = url === '/volumes/app' ? 200 : 404;
    const volume = { Driver: 'local', Mountpoint: join(dir, 'app'), Options: null };
    if (url === '/info') response.statusCode = 200;
    response.end(JSON.stringify(url === '/info' ? { SecurityOptions: securityOptions } : volume));
  });
  await once(server.listen(join(dir, 'engine.sock')), 'listening');
  return { [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
}

describe('doctor of a relay that cannot become the agent', () => {
  const check = () => checkContained('workspace of coder', '/srv/coder', `unix://${dir}/engine.sock`);

  test('says whether its engine can start the carrier', async () => {
    expect(await check()).toMatchObject({
      level: 'error',
      fix: expect.stringContaining('group of the socket'),
    });
    await using _ = await startEngine(['name=seccomp,profile=default']);
    expect(await check()).toMatchObject({ level: 'ok', text: expect.stringContaining('was not tried') });
  });

  test('refuses an engine that runs without root', async () => {
    await using _ = await startEngine(['name=seccomp', 'name=rootless']);
    expect(await check()).toMatchObject({ level: 'error', fix: 'start the relay as root' });
  });
});

describe.skipIf(!isRoot)('doctor tries a carrier where a workspace is', () => {
  test('one that can be kept: each thing is looked at, and nothing is left behind', async () => {
    await using _ = await startEngine();
    const found = await checkHomes(
      [told('coder', 'bind', join(dir, 'app')), told('writer', 'volume', 'app')],
      config(),
    );
    expect(found.map(({ check }) => check)).toEqual([
      ...['workspace of coder', 'workspace of coder', 'workspace of writer', 'workspace of writer'],
      ...['watches', 'hashing'],
    ]);
    expect(found.filter(({ check, level }) => check !== 'hashing' && level !== 'ok')).toEqual([]);
    expect((await readdir(dir)).toSorted()).toEqual(['app', 'engine.sock']);
    expect(await readdir(join(dir, 'app'))).toEqual([]);
  });

  test('one that is not there, and a volume that the engine does not have, or an engine that is away', async () => {
    const lost = [told('coder', 'bind', join(dir, 'nowhere')), told('writer', 'volume', 'other')];
    expect((await checkHomes(lost, config())).filter(({ level }) => level === 'error')).toHaveLength(2);
    await using _ = await startEngine();
    const [, volume] = (await checkHomes(lost, config())).filter(({ level }) => level === 'error');
    expect(volume).toMatchObject({ text: 'there is no volume other on this agent host' });
  });

  test('an agent without a workspace is nothing to look at', async () => {
    expect(await checkHomes([{ name: 'coder', users: [user] }], config())).toEqual([]);
  });

  test('a carrier without inotify or a jail, and a clock that differs, are each told', async () => {
    const probed = await probeStage(dir, user);
    expect(judgeProbe('home', dir, probed)).toMatchObject([{ level: 'ok' }]);
    const state = { ...probed.state, scans: true, unconfined: true };
    expect(judgeProbe('home', dir, { state, clockMs: 5000 }).map(({ level }) => level)).toEqual(
      Array.from({ length: 3 }, () => 'warning'),
    );
  });
});
