import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import { attempt } from '../lab/command.ts';
import { version0 } from './requests.ts';
import { accepted, untilGone } from './scripted.ts';
import { ShimClient } from './shim-client.ts';
import { inJail, startRelayProgram, startToldHost, type Told, told } from './told-host.ts';

const patience = { timeout: 60_000 };
const isRoot = process.geteuid?.() === 0;

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-told-'));
});
afterEach(() => rm(dir, { recursive: true }));

const folderOf = (name: string) => join(dir, 'state/agents', name);
const socketOf = (name: string) => join(folderOf(name), 'socket/warden.sock');
const startMain = () => startRelayProgram(dir);
const startHost = (...args: Tail<Parameters<typeof startToldHost>>) => startToldHost(dir, ...args);

type Tail<T extends readonly unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;

const asAgent = (name: string, script: string) => inJail(folderOf(name), script);

/** Whether something answers there: root is refused, in words. */
async function answers(name: string): Promise<boolean> {
  const shim = new ShimClient(socketOf(name)).request(version0);
  await shim.closed;
  return /identity/.test(shim.output(2));
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

describe.skipIf(!isRoot)('a relay whose file names no agents', () => {
  test('an agent that the gateway adds has its folders and is served at once, by the users that it tells', async () => {
    await using host = await startHost([]);
    expect(await readdir(join(dir, 'state'))).not.toContain('agents');
    host.tell(told('coder'), told('other', 1001));
    await expect
      .poll(() => readdir(join(folderOf('coder'), 'bin')).catch(() => []), patience)
      .toContain('ls');
    expect(await attempt(asAgent('coder', 'ls'))).toMatchObject({ code: 0, stderr: '' });
    expect(await attempt(asAgent('other', 'ls'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('identity-user'),
    });
    host.tell(told('coder', 1001), told('other'));
    await expect.poll(async () => (await attempt(asAgent('other', 'ls'))).code, patience).toBe(0);
    expect(await attempt(asAgent('coder', 'ls'))).toMatchObject({ code: 1 });
    expect((await stat(folderOf('coder'))).mode & 0o777).toBe(0o700);
  });

  test('an agent that is removed loses its socket and its commands, keeps its folders, and is served there again', async () => {
    const started = Promise.withResolvers<void>();
    const execute: Execute = (_caller, { command }, channel) => {
      void channel.send(accepted);
      if (command.args.length === 0) return Promise.resolve({ kind: 'exited', code: 4, signal: 0 });
      started.resolve();
      return untilGone(channel);
    };
    await using host = await startHost([told('coder'), told('other')], { execute });
    // The same mounts all the time, as a container's.
    const agent = attempt(
      asAgent('coder', 'ls hold; echo $?; until test -S /mnt/run/warden.sock; do sleep 0.1; done; ls'),
    );
    await started.promise;
    host.tell(told('other'));
    await expect.poll(() => exists(socketOf('coder')), patience).toBe(false);
    expect(await answers('other')).toBe(true);
    expect(await readdir(join(folderOf('coder'), 'bin'))).toEqual(['.init', '.shim']);
    host.tell(told('coder'), told('other'));
    expect(await agent).toMatchObject({ code: 4, stdout: '125\n' });
  });

  test('what was told is served after a restart without a gateway, and not what was removed', async () => {
    const host = await startHost([told('coder'), told('gone')]);
    host.tell(told('coder'));
    await expect.poll(() => exists(socketOf('gone')), patience).toBe(false);
    await host.program.end('SIGKILL');
    await host.gateway.close(0);
    {
      await using _ = await startMain();
      expect([await answers('coder'), await exists(socketOf('gone'))]).toEqual([true, false]);
      expect(await readdir(join(folderOf('coder'), 'bin'))).toContain('ls');
    }
    await host.gateway[Symbol.asyncDispose]();
  });

  test('what no relay may serve is refused by name, and the others are served', async () => {
    const users = [{ uid: 0, gid: 0 }];
    const strange = ['../up', 'a/b', '.', '', 'UPPER', 'new\nline', 'x'.repeat(64)].map((name) => told(name));
    await using host = await startHost([...strange, { ...told('root'), users }, told('coder')]);
    await expect.poll(() => answers('coder').catch(() => false), patience).toBe(true);
    expect(await readdir(join(dir, 'state/agents'))).toEqual(['coder']);
    expect(host.problem('root')).toBeUndefined();
  });

  test('P2: a workspace that cannot be is told by name and not kept; its agent, the others and their workspaces are served', async () => {
    const carried = {
      target: '/app',
      excludes: [],
      conflicts: 'keep-agent',
      limits: { entries: 1, bytes: 2, file: 3, depth: 4 },
    } as const;
    const kept = { kind: 'volume', source: 'coder-app', ...carried } as const;
    const hostile = { kind: 'bind', source: '/srv/../etc', ...carried } as const;
    await using host = await startHost([
      { ...told('up'), workspace: hostile },
      { ...told('coder'), workspace: kept },
      told('plain'),
    ]);
    await expect
      .poll(() => host.problem('up'), patience)
      .toMatch(/its workspace is not kept: source: must be/);
    expect(await Promise.all(['up', 'coder', 'plain'].map(answers))).toEqual([true, true, true]);
    const { agents } = JSON.parse(await readFile(join(dir, 'state/agents.json'), 'utf8'));
    expect(agents).toMatchObject([{ name: 'up' }, { name: 'coder', workspace: kept }, { name: 'plain' }]);
    expect(agents.map((agent: object) => 'workspace' in agent)).toEqual([false, true, false]);
    host.tell(told('up'));
    await expect.poll(() => host.problem('up'), patience).not.toMatch(/workspace/);
  });

  test('P13: a workspace outside of workspace-roots is told by name, also after a restart without a gateway', async () => {
    const limits = { entries: 1, bytes: 2, file: 3, depth: 4 };
    const bound = (name: string, source: string): Told => ({
      ...told(name),
      workspace: { kind: 'bind', source, target: '/app', excludes: [], conflicts: 'keep-agent', limits },
    });
    const host = await startHost(
      [bound('inside', join(dir, 'roots/a')), bound('outside', '/srv/a'), bound('system', '/etc/x')],
      {},
      { 'workspace-roots': [join(dir, 'roots')] },
    );
    await expect.poll(() => host.problem('outside'), patience).toMatch(/^its workspace .* workspace-roots/);
    expect(host.problem('system')).toMatch(/a folder of the system's$/);
    expect(host.problem('inside')).not.toMatch(/workspace-roots/);
    await host.program.end('SIGKILL');
    await host.gateway.close(0);
    await rm(join(dir, 'relay.log'));
    {
      await using _ = await startMain();
      expect(await Promise.all(['inside', 'outside'].map(answers))).toEqual([true, true]);
      const log = await readFile(join(dir, 'relay.log'), 'utf8');
      expect(log.match(/its workspace is not kept: \S+/g)?.toSorted()).toEqual([
        'its workspace is not kept: /etc/x',
        'its workspace is not kept: /srv/a',
      ]);
    }
    await host.gateway[Symbol.asyncDispose]();
  });

  test('relay.yaml keeps its word: its agents, their containers and their sockets', async () => {
    const listed = {
      name: 'mine',
      socket: 'run/mine/warden.sock',
      container: 'theirs',
      users: ['1001:1001'],
    };
    await using _ = await startHost([told('mine'), told('theirs'), told('free')], {}, { agents: [listed] });
    await expect.poll(() => answers('theirs').catch(() => false), patience).toBe(true);
    expect(await readdir(join(dir, 'state/agents'))).toEqual(['free', 'theirs']);
    expect(await exists(join(dir, 'run/mine/warden.sock'))).toBe(true);
  });

  test('a socket with a path that the kernel does not take is refused by name, one that just fits is served', async () => {
    const state = join(dir, 's'.repeat(107 - dir.length - 1 - '/agents/a/socket/warden.sock'.length));
    await mkdir(state);
    await using host = await startHost([told('a'), told('ab')], {}, { state });
    await expect.poll(() => host.problem('ab'), patience).toMatch(/107 bytes/);
    expect(await exists(join(state, 'agents/a/socket/warden.sock'))).toBe(true);
    expect(await exists(join(state, 'agents/ab'))).toBe(false);
  });
});
