import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { defaultLimits } from '../../../src/carrier-client/hello.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, CarrierProcess, carrierBuilds, makePlace } from './carrier-process.ts';
import { agent, isRoot, toAgent } from './jailed-place.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
/** Attributes of users are on a disk in any case. */
const under = '/var/tmp';

const said = (command: string, ...args: string[]) => execFileSync(command, args).toString();
const refusedOf = (back: Awaited<ReturnType<typeof bringHome>>) => back?.exchanged.applied.refused;

describe.runIf(isRoot).each(buildsOrOnly('static'))('what a tool or the agent may leave ($name)', (build) => {
  /** The home is only the agent; the replica may make what belongs to other users. */
  async function made(): Promise<Pair> {
    const pair = await Pair.make(build.carrier, under, agent, ({ folder }) => {
      toAgent(folder);
      return [];
    });
    chownSync(pair.homePlace.folder, 0, 0);
    for (const { folder } of [pair.homePlace, pair.replicaPlace]) chmodSync(folder, 0o755);
    return pair;
  }
  const inHome = (pair: Pair, path: string) => join(pair.homePlace.root, path);
  const there = (pair: Pair, path: string) => join(pair.replicaPlace.root, path);

  test('7: an access list that opens a file arrives with it, and one that is gone is gone', async () => {
    await using pair = await made();
    const list = (path: string) => said('getfacl', '--absolute-names', '--omit-header', '--numeric', path);
    writeFileSync(there(pair, 'f'), 'x', { mode: 0o600 });
    chownSync(there(pair, 'f'), 1000, 1000);
    execFileSync('setfacl', ['-m', 'u:1234:rw', there(pair, 'f')]);
    expect(refusedOf(await bringHome(pair.home.session, pair.replica.session))).toEqual([]);
    expect(list(inHome(pair, 'f'))).toBe(list(there(pair, 'f')));
    expect(list(inHome(pair, 'f'))).toContain('user:1234:rw-');
    execFileSync('setfacl', ['-b', there(pair, 'f')]);
    await bringHome(pair.home.session, pair.replica.session);
    expect(list(inHome(pair, 'f'))).not.toContain('1234');
    expect(pair.difference).toBe('');
  });

  test('9: a file above the limit is told and stays where it is, and is carried once it is small', async () => {
    const limits = { ...defaultLimits, file: 10_000 };
    await using pair = await Pair.make(build.carrier, under, { limits });
    writeFileSync(inHome(pair, 'f'), Buffer.alloc(10_001));
    await sendOut(pair.home.session, pair.replica.session);
    const { skipped } = await pair.home.session.settle();
    expect(skipped.map(({ why, path }) => `${why} ${path.toString()}`)).toEqual(['too-large f']);
    expect(readdirSync(there(pair, '.'))).toEqual([]);
    writeFileSync(there(pair, 'g'), Buffer.alloc(10_001));
    await bringHome(pair.home.session, pair.replica.session);
    expect(readdirSync(inHome(pair, '.'))).toEqual(['f']);
    truncateSync(inHome(pair, 'f'), 10_000);
    await sendOut(pair.home.session, pair.replica.session);
    expect(statSync(there(pair, 'f')).size).toBe(10_000);
  });

  test('10: another name of a file that only root reads gives away none of its bytes, and root keeps it', async () => {
    await using pair = await made();
    const secret = join(pair.homePlace.folder, 'secret');
    writeFileSync(secret, 'of root', { mode: 0o600 });
    linkSync(secret, inHome(pair, 'name'));
    await sendOut(pair.home.session, pair.replica.session);
    expect(statSync(there(pair, 'name'))).toMatchObject({ size: 0, uid: 0 });
    rmSync(there(pair, 'name'));
    writeFileSync(there(pair, 'name'), "the tool's", { mode: 0o666 });
    await bringHome(pair.home.session, pair.replica.session);
    expect(readFileSync(secret, 'utf8')).toBe('of root');
    expect(statSync(secret)).toMatchObject({ uid: 0, mode: 0o100600 });
  });

  test('17: marks of an overlay and nodes 0:0 hide nothing at home, and the nodes stay where they are', async () => {
    await using pair = await made();
    mkdirSync(inHome(pair, 'd'));
    writeFileSync(inHome(pair, 'd/f'), 'x');
    execFileSync('chown', ['-R', '1000:1000', inHome(pair, 'd')]);
    await sendOut(pair.home.session, pair.replica.session);
    for (const mark of ['opaque', 'redirect', 'whiteout'])
      execFileSync('setfattr', ['-n', `user.overlay.${mark}`, '-v', 'y', there(pair, 'd')]);
    execFileSync('mknod', [there(pair, 'd/node'), 'c', '0', '0']);
    expect(refusedOf(await bringHome(pair.home.session, pair.replica.session))).toEqual([]);
    expect(readdirSync(inHome(pair, 'd'))).toEqual(['f']);
    expect(readFileSync(inHome(pair, 'd/f'), 'utf8')).toBe('x');
    const { skipped } = await pair.replica.session.settle();
    expect(skipped.map(({ why, path }) => `${why} ${path.toString()}`)).toEqual(['special d/node']);
    const marks = said('getfattr', '--absolute-names', '-m', 'user.overlay', inHome(pair, 'd'));
    expect(marks.match(/^user\.overlay\..*$/gm)).toHaveLength(3);
  });

  test('21: a folder that a tool deletes while it works in it is gone at home, and what is made in it then is nowhere', async () => {
    await using pair = await made();
    execFileSync('sh', ['-ec', 'mkdir -p work/in; echo x > work/in/f; chown -R 1000:1000 work'], {
      cwd: pair.homePlace.root,
    });
    await sendOut(pair.home.session, pair.replica.session);
    const script =
      'rm -r ../../work; ! echo x > f; ! mkdir d; mkdir -p "$1/work/in"; echo other > "$1/work/in/g"';
    execFileSync('sh', ['-ec', script, 'sh', pair.replicaPlace.root], {
      ...{ cwd: there(pair, 'work/in'), stdio: 'ignore' },
    });
    expect(refusedOf(await bringHome(pair.home.session, pair.replica.session))).toEqual([]);
    expect(readdirSync(inHome(pair, 'work/in'))).toEqual(['g']);
    await sendOut(pair.home.session, pair.replica.session);
    expect(pair.difference).toBe('');
  });

  test('22: a folder whose group the agent is not in has the agent’s at home, and both agree', async () => {
    await using pair = await made();
    mkdirSync(there(pair, 'shared'));
    writeFileSync(there(pair, 'shared/f'), 'x');
    for (const path of ['shared', 'shared/f']) chownSync(there(pair, path), 1000, 4242);
    chmodSync(there(pair, 'shared'), 0o2775);
    expect(refusedOf(await bringHome(pair.home.session, pair.replica.session))).toEqual([]);
    for (const path of ['shared', 'shared/f']) expect(statSync(inHome(pair, path))).toMatchObject(agent);
    await sendOut(pair.home.session, pair.replica.session);
    expect(statSync(there(pair, 'shared'))).toMatchObject(agent);
    expect(pair.difference).toBe('');
    expect((await pair.home.session.settle()).tree).toBe((await pair.replica.session.settle()).tree);
  });

  test(
    '11: a folder of very many names is carried, renamed and emptied; one entry too many is told',
    async () => {
      const many = long ? 100_000 : 1000;
      const limits = { ...defaultLimits, entries: 2 * many };
      await using pair = await Pair.make(build.carrier, '/dev/shm', { limits });
      const fill = (folder: string, count: number) => {
        mkdirSync(inHome(pair, folder));
        for (let i = 0; i < count; i++) writeFileSync(inHome(pair, `${folder}/${'n'.repeat(100)}${i}`), '');
      };
      fill('one', many);
      await sendOut(pair.home.session, pair.replica.session);
      expect(readdirSync(there(pair, 'one'))).toHaveLength(many);
      renameSync(there(pair, 'one'), there(pair, 'other'));
      await bringHome(pair.home.session, pair.replica.session);
      expect([readdirSync(inHome(pair, '.')), readdirSync(inHome(pair, 'other')).length]).toEqual([
        ['other'],
        many,
      ]);
      expect(pair.difference).toBe('');
      fill('more', many);
      // The root, two folders, and the names.
      expect(await pair.home.session.settle()).toMatchObject({
        full: true,
        entries: 2 * many,
        skippedCount: 3,
      });
      const memory = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pair.home.child.pid}/status`, 'utf8'));
      // What is gone counts, too. Its container has 256 MiB.
      if (build.name === 'static') expect(Number(memory?.[1])).toBeLessThan(long ? 220_000 : 20_000);
      rmSync(inHome(pair, 'more'), { recursive: true });
      rmSync(there(pair, 'other'), { recursive: true });
      await bringHome(pair.home.session, pair.replica.session);
      expect(existsSync(inHome(pair, 'other'))).toBe(false);
      expect(pair.difference).toBe('');
    },
    long ? 300_000 : 60_000,
  );
});

test('10: a name in the workspace of a file that is not in it is a file of its own on the other side', async () => {
  const [{ carrier }] = carrierBuilds;
  using place = makePlace(under);
  using other = makePlace(under);
  const outside = join(place.folder, 'of another agent');
  writeFileSync(outside, 'shared');
  linkSync(outside, join(place.root, 'name'));
  await using home = await CarrierProcess.start(carrier, place);
  await using replica = await CarrierProcess.start(carrier, other, { role: 'replica' });
  await sendOut(home.session, replica.session);
  writeFileSync(join(other.root, 'name'), "the tool's");
  expect(refusedOf(await bringHome(home.session, replica.session))).toEqual([]);
  expect(readFileSync(join(place.root, 'name'), 'utf8')).toBe("the tool's");
  expect(readFileSync(outside, 'utf8')).toBe('shared');
});
