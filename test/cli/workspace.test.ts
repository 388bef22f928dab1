import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import type { PeerName } from '../../src/pki/peer-name.ts';
import { renderBytes } from '../../src/text/render-text.ts';
import { type FollowedSite, startFollowedSite } from '../grpc/followed-site.ts';
import { admin } from '../grpc/gateway.ts';
import { clawrden, contextOf, type Ended } from './clawrden.ts';

type Args = readonly string[];

async function cli(site: FollowedSite, args: Args, who = 'admin'): Promise<Ended> {
  const peer: PeerName = { kind: 'person', name: who };
  return clawrden(['workspace', ...args, '--context', await contextOf(site.gateway, peer)]);
}

async function json<T>(site: FollowedSite, args: Args): Promise<T> {
  const { stdout, stderr, code } = await cli(site, [...args, '--json']);
  expect([stderr, code]).toEqual(['', 0]);
  return JSON.parse(stdout) as T;
}

interface Kept {
  readonly id: string;
  readonly number: number;
  readonly path: string;
  readonly pathBase64: string;
  readonly why: string;
  readonly whose: string;
  readonly kept: string;
  readonly execution: string;
  readonly host: string;
}

/** What `conflicts` prints, without a process. */
async function conflicts(site: FollowedSite): Promise<Kept[]> {
  const client = await site.gateway.connect(admin);
  const request = { agent: 'coder', id: '', limit: 0, pageToken: '' };
  const { files } = await client.call(WardenServiceService.listKeptFiles, request);
  return files.map((file) => ({
    ...file,
    path: renderBytes(file.path),
    pathBase64: Buffer.from(file.path).toString('base64'),
  }));
}

/** The command changed these, and so did the agent meanwhile. */
async function conflict(site: FollowedSite, names: readonly Buffer[], id = 'e-1'): Promise<void> {
  const at = (root: string, name: Buffer) => Buffer.concat([Buffer.from(`${root}/`), name]);
  for (const name of names) writeFileSync(at(site.home.root, name), 'base');
  const write = (root: string) => names.forEach((name) => writeFileSync(at(root, name), 'tool'));
  const meanwhile = () => names.forEach((name) => writeFileSync(at(site.home.root, name), 'agent'));
  await site.command('docker-1', id, write, meanwhile);
}

const odd = Buffer.from('6f64640a205b9b31303bff2020', 'hex');

test('conflicts: what was not applied, newest first, with the command, the host, and where it is kept', async () => {
  await using site = await startFollowedSite();
  await using _ = await site.offer();
  expect((await cli(site, ['conflicts', 'coder'])).stdout).toBe('nothing is kept\n');
  await conflict(site, [Buffer.from('first')], 'e-1');
  await conflict(site, [Buffer.from('a'), odd], 'e-2');
  const files = await json<Kept[]>(site, ['conflicts', 'coder']);
  expect(files).toEqual(await conflicts(site));
  expect(files.map(({ path, execution }) => [path, execution])).toEqual([
    ['a', 'e-2'],
    ['odd\\n [\\x9b10;\\xff\\x20{2}', 'e-2'],
    ['first', 'e-1'],
  ]);
  for (const { host, why, whose, kept } of files) {
    expect([host, why, whose]).toEqual(['docker-1', 'conflict', 'tool']);
    expect(readFileSync(join(site.home.area, 'kept', kept), 'utf8')).toBe('tool');
  }
  expect(Buffer.from(files[1]?.pathBase64 ?? '', 'base64')).toEqual(odd);
  const { stdout, stderr } = await cli(site, ['conflicts', 'coder', '--limit', '2']);
  expect(stdout).not.toMatch(/[^\x20-\x7e\n]/);
  expect(stdout.split('\n')).toHaveLength(4);
  const token = stderr.split('\n')[1]?.split(' ') ?? [];
  const rest = await json<Kept[]>(site, ['conflicts', 'coder', ...token]);
  expect(rest.map(({ path }) => path)).toEqual(['first']);
  expect(site.records.filter((record) => record.type === 'incident')).toHaveLength(2);
});

test('restore: a kept file is at home again, what it replaced is kept, and both can be swapped again', async () => {
  await using site = await startFollowedSite();
  await using _ = await site.offer();
  await conflict(site, [Buffer.from('a'), odd, Buffer.from('b')]);
  const [{ id } = { id: '' }] = await conflicts(site);
  const there = Buffer.concat([Buffer.from(`${site.home.root}/`), odd]);
  const shown = 'odd\\n [\\x9b10;\\xff\\x20{2}';
  const done = await json<{ path: string; replacedId: string }[]>(site, [
    ...['restore', 'coder', id, shown, '--reason', 'the tool was right'],
  ]);
  expect(done.map(({ path }) => path)).toEqual([shown]);
  expect(readFileSync(there, 'utf8')).toBe('tool');
  expect(readFileSync(join(site.home.root, 'a'), 'utf8')).toBe('agent');
  const [newest] = await conflicts(site);
  expect(newest).toMatchObject({ id: done[0]?.replacedId, why: 'replaced', whose: 'agent', path: shown });
  await cli(site, ['restore', 'coder', done[0]?.replacedId ?? '']);
  expect(readFileSync(there, 'utf8')).toBe('agent');
  expect((await cli(site, ['restore', 'coder', id])).stdout.match(/^done /gm)).toHaveLength(3);
  for (const path of [there, join(site.home.root, 'a'), join(site.home.root, 'b')])
    expect(readFileSync(path, 'utf8')).toBe('tool');
  expect(site.records).toContainEqual({
    ...{ type: 'workspace-restored', agent: 'coder', host: '', by: 'person:admin' },
    ...{ reason: 'the tool was right', text: `${shown} from ${id}` },
  });
  // A replica gets it as it gets any change at home.
  await site.command('docker-2', 'e-9', (root) => expect(readFileSync(join(root, 'a'), 'utf8')).toBe('tool'));
});

test('restore: says why it cannot be, and what to do', async () => {
  await using site = await startFollowedSite();
  const lane = await site.offer();
  await conflict(site, [Buffer.from('a')]);
  const [{ id, kept } = { id: '', kept: '' }] = await conflicts(site);
  const tries = [
    [['coder', 'no-such-set'], /of set no-such-set nothing is kept; see clawrden workspace conflicts coder/],
    [['coder', id, 'b'], /no such file is kept/],
    [['writer', id], /nothing is kept/],
  ] as const;
  for (const [args, text] of tries)
    expect(await cli(site, ['restore', ...args])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(text),
    });
  rmSync(join(site.home.root, 'a'));
  mkdirSync(join(site.home.root, 'a'));
  expect((await cli(site, ['restore', 'coder', id])).stderr).toContain('a folder has the name a');
  rmSync(join(site.home.area, 'kept', kept));
  expect((await cli(site, ['restore', 'coder', id])).stderr).toContain('it is not kept any more');
  expect(existsSync(join(site.home.root, 'a'))).toBe(true);
  await lane[Symbol.asyncDispose]();
  await expect.poll(() => site.workspaces.homes.isOffered('coder')).toBe(false);
  expect((await cli(site, ['restore', 'coder', id])).stderr).toContain('does not offer its workspace now');
});

interface Status {
  readonly home: { readonly problem: string; readonly entries: number; readonly suspect: boolean };
  readonly replicas: readonly {
    readonly host: string;
    readonly running: boolean;
    readonly position: string;
    readonly behind: number;
    readonly unsent: number;
    readonly commands: number;
    readonly problem: string;
  }[];
}

test('status: home, and each replica: whether it runs, how far it is, and what only it has', async () => {
  await using site = await startFollowedSite();
  const look = () => json<Status>(site, ['status', 'coder']);
  expect((await look()).home.problem).toContain('does not offer its workspace now');
  {
    await using _ = await site.offer();
    writeFileSync(join(site.home.root, 'f'), 'x'.repeat(2048));
    await site.command('docker-1', 'e-1', () => {});
    const visit = await site.visit('docker-2', 'e-2');
    writeFileSync(join(site.hosts['docker-2'].root('coder'), 'only there'), '');
    writeFileSync(join(site.home.root, 'g'), '');
    const { home, replicas } = await look();
    expect(home).toMatchObject({ problem: '', entries: 3, suspect: false });
    expect(replicas).toMatchObject([
      { host: 'docker-1', running: true, position: 'behind', unsent: 0, commands: 0 },
      { host: 'docker-2', running: true, position: 'behind', commands: 1 },
    ]);
    expect(replicas[1]?.unsent).toBeGreaterThan(0);
    await visit.bringHome(new AbortController().signal);
    visit.end();
    const { stdout } = await cli(site, ['status', 'coder', 'docker-2']);
    expect(stdout).toMatch(/home +4 entries, 2.0 KiB/);
    expect(stdout).toMatch(/docker-2 +runs +behind by 1/);
    expect(stdout).not.toContain('docker-1');
    site.hosts['docker-1'].fault = new Error('gone');
    expect((await look()).replicas[0]?.problem).toContain('does not answer');
  }
  const { code, stderr } = await cli(site, ['status', 'coder', 'docker-9']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('has no replica on docker-9')]);
  for (const [agent, text] of [
    ['nobody', 'no agent nobody'],
    ['writer', 'has no sync: true'],
  ] as const)
    expect((await cli(site, ['status', agent])).stderr).toContain(text);
});

test('trust: what is gone from home goes from the replicas, and commands run again', async () => {
  await using site = await startFollowedSite();
  await using _ = await site.offer();
  for (let count = 0; count < 1200; count++) writeFileSync(join(site.home.root, `f${count}`), '');
  await site.command('docker-1', 'e-1', () => {});
  for (const name of readdirSync(site.home.root)) if (name !== 'f0') rmSync(join(site.home.root, name));
  await expect(site.command('docker-1', 'e-2', () => {})).rejects.toMatchObject({
    code: 'workspace-suspect',
  });
  expect((await cli(site, ['status', 'coder'])).stdout).toContain('most of it is gone');
  expect(readdirSync(site.hosts['docker-1'].root('coder'))).toHaveLength(1200);
  expect((await cli(site, ['trust', 'coder'], 'olga')).stdout).toContain('has 2 entries, and is trusted');
  expect(readdirSync(site.hosts['docker-1'].root('coder'))).toEqual(['f0']);
  await site.command('docker-1', 'e-3', () => {});
  expect(site.records).toContainEqual(
    expect.objectContaining({ type: 'workspace-trusted', by: 'person:olga' }),
  );
});

describe('reset', () => {
  test('what only the replica has is kept, the replica goes, and the next command copies again', async () => {
    await using site = await startFollowedSite();
    await using _ = await site.offer();
    writeFileSync(join(site.home.root, 'f'), 'home');
    await site.command('docker-1', 'e-1', () => {});
    writeFileSync(join(site.hosts['docker-1'].root('coder'), 'late'), 'only there');
    const done = await cli(site, ['reset', 'coder']);
    expect([done.stderr, done.stdout]).toEqual([
      '',
      expect.stringMatching(/docker-1 is removed; \d changes .* are kept as/),
    ]);
    expect(existsSync(site.hosts['docker-1'].folder('coder'))).toBe(false);
    expect(site.forgotten).toEqual(['coder']);
    const late = (await conflicts(site)).find(({ path }) => path === 'late');
    expect(late).toMatchObject({ why: 'late', host: 'docker-1', execution: '' });
    await cli(site, ['restore', 'coder', late?.id ?? '', 'late']);
    expect(readFileSync(join(site.home.root, 'late'), 'utf8')).toBe('only there');
    await site.command('docker-1', 'e-2', (root) =>
      expect(readdirSync(root).toSorted()).toEqual(['f', 'late']),
    );
    expect(site.records).toContainEqual(
      expect.objectContaining({ type: 'workspace-reset', host: 'docker-1', by: 'person:admin' }),
    );
  });

  test('is refused while a command works there; what was asked for with --force ends it first', async () => {
    await using site = await startFollowedSite();
    await using _ = await site.offer();
    const visit = await site.visit('docker-1', 'e-1');
    const refused = await cli(site, ['reset', 'coder', 'docker-1']);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/a command works .* with --force/),
    });
    expect(existsSync(site.hosts['docker-1'].folder('coder'))).toBe(true);
    expect(site.records).toEqual([]);
    setTimeout(() => visit.end(), 500);
    expect(await cli(site, ['reset', 'coder', 'docker-1', '--force'])).toMatchObject({ code: 0, stderr: '' });
    expect(site.stopped).toEqual(['asked']);
    expect(existsSync(site.hosts['docker-1'].folder('coder'))).toBe(false);
  });

  test('without home only --discard removes it, and says so in the audit', async () => {
    await using site = await startFollowedSite();
    {
      await using _ = await site.offer();
      await site.command('docker-1', 'e-1', () => {});
    }
    await expect.poll(() => site.workspaces.homes.isOffered('coder')).toBe(false);
    expect((await cli(site, ['reset', 'coder', 'docker-1'])).stderr).toContain(
      'does not offer its workspace now',
    );
    expect(existsSync(site.hosts['docker-1'].folder('coder'))).toBe(true);
    expect((await cli(site, ['reset', 'coder', 'docker-1', '--discard'])).code).toBe(0);
    expect(existsSync(site.hosts['docker-1'].folder('coder'))).toBe(false);
    expect(site.records.at(-1)).toMatchObject({ text: 'what only it has is lost' });
    expect((await cli(site, ['reset', 'coder', 'docker-9'])).stderr).toContain('no Docker host docker-9');
  });
});

test('P9: a viewer looks and changes nothing', async () => {
  await using site = await startFollowedSite();
  await using _ = await site.offer();
  expect(await cli(site, ['status', 'coder'], 'vera')).toMatchObject({ code: 0 });
  expect((await cli(site, ['trust', 'coder'], 'vera')).stderr).toContain('needs the role');
  const client = await site.gateway.connect({ kind: 'person', name: 'vera' });
  const [agent, host, id, reason] = ['coder', 'docker-1', 'x', ''];
  const tries = [
    client.call(WardenServiceService.trustWorkspace, { agent, reason }),
    client.call(WardenServiceService.restoreKeptFile, { agent, id, number: 1, reason }),
    client.call(WardenServiceService.resetReplica, { agent, host, force: true, discard: true, reason }),
  ];
  for (const each of tries) await expect(each).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
  expect(site.records).toEqual([]);
});
