import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CarrierSession } from '../../../src/carrier-client/carrier-session.ts';
import { bringHome, restoreKept, sendOut } from '../../../src/carrier-client/exchange.ts';
import type { Refused } from '../../../src/carrier-client/exchange-frames.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, CarrierProcess, makePlace } from './carrier-process.ts';

const numRuns = process.env['CLAWRDEN_LONG'] ? 80 : 8;

/** A file name: any bytes but `/` and NUL, and neither `.` nor `..`. */
const fileName = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 || byte === 47 ? 200 : byte))))
  .filter((name) => !['.', '..', '.clawrden'].includes(name.toString('latin1')));

function at(root: string, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), path]);
}

/** Both sides changed `path`, and home's stands. */
async function conflict(pair: Pair, path: Buffer, ours: Buffer, tools: () => void): Promise<Refused> {
  writeFileSync(at(pair.homePlace.root, path), 'base');
  await sendOut(pair.home.session, pair.replica.session);
  writeFileSync(at(pair.homePlace.root, path), ours);
  rmSync(at(pair.replicaPlace.root, path));
  tools();
  const back = await bringHome(pair.home.session, pair.replica.session);
  await sendOut(pair.home.session, pair.replica.session);
  const [refused] = back?.exchanged.applied.refused ?? [];
  if (refused?.kept === undefined) throw new Error('nothing is kept');
  return refused;
}

describe.each(buildsOrOnly('static'))('what is kept ($name, $under)', ({ carrier, under }) => {
  test('a file of any name, size and mode comes back as it was, and what it replaces is kept in its turn', async () => {
    const sizes = fc.constantFrom(0, 1, 4096, 1024 ** 2, 1024 ** 2 + 1, 3 * 1024 ** 2);
    const modes = fc.constantFrom(0o600, 0o755, 0o444);
    await fc.assert(
      fc.asyncProperty(fileName, sizes, modes, async (name, size, mode) => {
        await using pair = await Pair.make(carrier, under);
        const [here, there] = [at(pair.homePlace.root, name), at(pair.replicaPlace.root, name)];
        const bytes = Buffer.alloc(size, 'tool');
        const { kept = '' } = await conflict(pair, name, Buffer.from('agent'), () => {
          writeFileSync(there, bytes);
          chmodSync(there, mode);
          utimesSync(there, 1e9, 1e9 + 0.5);
        });
        const applied = await restoreKept(pair.home.session, kept, name);
        expect(readFileSync(here).equals(bytes)).toBe(true);
        const { mode: has, mtimeMs } = lstatSync(here);
        expect([has & 0o777, mtimeMs]).toEqual([mode, 1e12 + 500]);
        const [replaced] = applied.refused;
        expect(replaced).toMatchObject({ why: 'replaced', path: name });
        expect(readFileSync(join(pair.homePlace.area, 'kept', replaced?.kept ?? ''), 'utf8')).toBe('agent');
        // It is a change at home like any other, and what was kept is kept still.
        await sendOut(pair.home.session, pair.replica.session);
        expect(pair.difference).toBe('');
        expect(readFileSync(join(pair.homePlace.area, 'kept', kept)).equals(bytes)).toBe(true);
        const again = await restoreKept(pair.home.session, kept, name);
        expect([again.done, again.refused]).toEqual([0, []]);
      }),
      { numRuns },
    );
  });

  test('a link comes back as a link, and a hole stays one', async () => {
    await using pair = await Pair.make(carrier, under);
    const [here, there] = [pair.homePlace.root, pair.replicaPlace.root];
    const link = await conflict(pair, Buffer.from('l'), Buffer.from('agent'), () =>
      symlinkSync('/etc/passwd', join(there, 'l')),
    );
    await restoreKept(pair.home.session, link.kept ?? '', link.path);
    expect(readlinkSync(join(here, 'l'))).toBe('/etc/passwd');
    const sparse = await conflict(pair, Buffer.from('s'), Buffer.from('agent'), () => {
      writeFileSync(join(there, 's'), 'x');
      truncateSync(join(there, 's'), 64 * 1024 ** 2);
    });
    await restoreKept(pair.home.session, sparse.kept ?? '', sparse.path);
    const { size, blocks } = lstatSync(join(here, 's'));
    expect([size, blocks * 512 < 4 * 1024 ** 2]).toEqual([64 * 1024 ** 2, true]);
    await sendOut(pair.home.session, pair.replica.session);
    expect(pair.difference).toBe('');
  });

  test('a folder that is gone is made again, and one of the same name stays', async () => {
    await using pair = await Pair.make(carrier, under);
    const [here, there] = [pair.homePlace.root, pair.replicaPlace.root];
    mkdirSync(join(here, 'a/b'), { recursive: true });
    const path = Buffer.from('a/b/f');
    const { kept = '' } = await conflict(pair, path, Buffer.from('agent'), () =>
      writeFileSync(join(there, 'a/b/f'), 'tool'),
    );
    rmSync(join(here, 'a'), { recursive: true });
    await restoreKept(pair.home.session, kept, path);
    expect(readFileSync(join(here, 'a/b/f'), 'utf8')).toBe('tool');
    rmSync(join(here, 'a/b/f'));
    mkdirSync(join(here, 'a/b/f/mine'), { recursive: true });
    const { refused } = await restoreKept(pair.home.session, kept, path);
    expect(refused).toMatchObject([{ why: 'conflict' }]);
    expect(readdirSync(join(here, 'a/b/f'))).toEqual(['mine']);
    rmSync(join(here, 'a'), { recursive: true });
    writeFileSync(join(here, 'a'), 'a file where a folder was');
    expect((await restoreKept(pair.home.session, kept, path)).refused).toMatchObject([{ why: 'conflict' }]);
    expect(readFileSync(join(here, 'a'), 'utf8')).toBe('a file where a folder was');
  });

  test('what was set aside comes back from there', async () => {
    await using pair = await Pair.make(carrier, under);
    writeFileSync(join(pair.homePlace.root, 'f'), 'base');
    await sendOut(pair.home.session, pair.replica.session);
    writeFileSync(join(pair.replicaPlace.root, 'late'), 'late');
    const applied = await pair.setAside();
    const late = applied?.refused.find(({ path }) => path.toString() === 'late');
    expect(late?.why).toBe('conflict');
    await restoreKept(pair.home.session, late?.kept ?? '', late?.path ?? Buffer.alloc(0));
    expect(readFileSync(join(pair.homePlace.root, 'late'), 'utf8')).toBe('late');
  });

  test('A-85: what is not kept, or led out of kept/ by a link, moves nothing, and the carrier goes on', async () => {
    using place = makePlace(under);
    const { area, root } = place;
    await using home = await CarrierProcess.start(carrier, place);
    mkdirSync(join(area, 'kept/1'), { recursive: true });
    writeFileSync(join(area, 'kept/1/0'), 'kept');
    symlinkSync('/etc', join(area, 'kept/out'));
    for (const kept of ['1/1', '../index', 'out/passwd', '1/../1/0', '/etc/passwd', '1/0/x', 'x'.repeat(300)])
      await expect(restoreKept(home.session, kept, Buffer.from('f'))).rejects.toMatchObject({
        code: 'not-found',
      });
    for (const path of ['../f', 'a/../f', '.clawrden/f', '/f', 'a//f'])
      await expect(restoreKept(home.session, '1/0', Buffer.from(path))).rejects.toMatchObject({
        code: 'not-found',
      });
    expect((await home.session.settle()).entries).toBe(1);
    await restoreKept(home.session, '1/0', Buffer.from('f'));
    expect(readdirSync(root)).toEqual(['f']);
  });

  test.each([
    ['before a begin', (session: CarrierSession) => session.take('1/0', Buffer.from('f'))],
    ['of nothing', (session: CarrierSession) => begun(session, () => session.take('', Buffer.from('f')))],
    ['of the root', (session: CarrierSession) => begun(session, () => session.take('1/0', Buffer.alloc(0)))],
  ])('a take %s ends the carrier, and nothing has moved', async (_what, act) => {
    using place = makePlace(under);
    await using home = await CarrierProcess.start(carrier, place);
    mkdirSync(join(place.area, 'kept/1'), { recursive: true });
    writeFileSync(join(place.area, 'kept/1/0'), 'kept');
    await act(home.session);
    await expect(home.session.verify()).rejects.toMatchObject({ code: expect.stringMatching(/^bad-/) });
    expect(await home.exited()).toBe(125);
    expect(readdirSync(place.root)).toEqual([]);
  });

  test('A-105: a take of a path twice moves nothing, and the carrier goes on', async () => {
    using place = makePlace(under);
    await using home = await CarrierProcess.start(carrier, place);
    mkdirSync(join(place.area, 'kept/1'), { recursive: true });
    writeFileSync(join(place.area, 'kept/1/0'), 'kept');
    await begun(home.session, async () => {
      await home.session.take('1/0', Buffer.from('f'));
      await home.session.take('1/0', Buffer.from('f'));
    });
    await expect(home.session.verify()).rejects.toMatchObject({ code: 'bad-entry', isOver: false });
    expect(readdirSync(place.root)).toEqual([]);
    await restoreKept(home.session, '1/0', Buffer.from('f'));
    expect(readdirSync(place.root)).toEqual(['f']);
  });

  test('a replica takes nothing', async () => {
    using place = makePlace(under);
    await using replica = await CarrierProcess.start(carrier, place, { role: 'replica' });
    await replica.session.begin({ version: { epoch: 0n, seq: 0n } });
    await replica.session.take('1/0', Buffer.from('f'));
    await expect(replica.session.verify()).rejects.toMatchObject({ code: 'bad-frame' });
  });
});

async function begun(session: CarrierSession, act: () => unknown): Promise<void> {
  await session.begin({ version: { epoch: 0n, seq: 0n }, theirs: true });
  await act();
}
