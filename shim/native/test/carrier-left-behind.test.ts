import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { defaultLimits } from '../../../src/carrier-client/hello.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly } from './carrier-process.ts';
import { isRoot } from './jailed-place.ts';

const limits = { ...defaultLimits, file: 10_000, depth: 5 };
const excludes = ['cache'];

/** What is not carried, by the name that it is made under. */
const special: Readonly<Record<string, (path: string) => void>> = {
  'a FIFO': (path) => execFileSync('mkfifo', [path]),
  ...(isRoot && { 'a device': (path: string) => execFileSync('mknod', [path, 'c', '1', '3']) }),
};
const other: Readonly<Record<string, (path: string) => void>> = {
  'a file too large': (path) => {
    writeFileSync(path, '');
    truncateSync(path, limits.file + 1);
  },
  'folders too deep': (path) => mkdirSync(join(path, '4/5/6/7'), { recursive: true }),
  'what is excluded': (path) => {
    mkdirSync(join(dirname(path), 'cache'));
    writeFileSync(join(dirname(path), 'cache/f'), 'x');
  },
};

describe.each(buildsOrOnly('static'))('a folder that home deleted ($name)', (build) => {
  const inHome = (pair: Pair, path: string) => join(pair.homePlace.root, path);
  const there = (pair: Pair, path: string) => join(pair.replicaPlace.root, path);

  /** Home and the replica have `d/f` and `d/in/f`, and a tool has made something in `d/in`. */
  async function made(make: (path: string) => void): Promise<Pair> {
    const pair = await Pair.make(build.carrier, build.under, { limits, excludes });
    mkdirSync(inHome(pair, 'd/in'), { recursive: true });
    for (const path of ['stays', 'd/f', 'd/in/f']) writeFileSync(inHome(pair, path), 'x');
    await sendOut(pair.home.session, pair.replica.session);
    make(there(pair, 'd/in/made'));
    await bringHome(pair.home.session, pair.replica.session);
    return pair;
  }

  async function deleteAtHome(pair: Pair): Promise<void> {
    rmSync(inHome(pair, 'd'), { recursive: true });
    await sendOut(pair.home.session, pair.replica.session);
  }

  async function expectNothingNew(pair: Pair): Promise<void> {
    expect(await pair.replica.session.settle()).toMatchObject({ dirty: 0 });
    expect(await bringHome(pair.home.session, pair.replica.session)).toBeUndefined();
    expect(existsSync(inHome(pair, 'd'))).toBe(false);
  }

  test.each(Object.entries(special))('A-505 P13: goes with %s in it', async (_what, make) => {
    await using pair = await made(make);
    await deleteAtHome(pair);
    expect(existsSync(there(pair, 'd'))).toBe(false);
    await expectNothingNew(pair);
  });

  test('A-505 P13: goes with a socket in it', async () => {
    await using server = createServer();
    await using pair = await made((path) => server.listen(path));
    if (!server.listening) await once(server, 'listening');
    expect(statSync(there(pair, 'd/in/made')).isSocket()).toBe(true);
    await deleteAtHome(pair);
    expect(existsSync(there(pair, 'd'))).toBe(false);
    await expectNothingNew(pair);
  });

  test.each(Object.entries(other))(
    'A-505 P13: does not come back for %s that stays in it, also after each carrier started again',
    async (_what, make) => {
      await using pair = await made(make);
      await deleteAtHome(pair);
      expect(existsSync(there(pair, 'd/in'))).toBe(true);
      for (const path of ['d/f', 'd/in/f']) expect(existsSync(there(pair, path))).toBe(false);
      await expectNothingNew(pair);
      await pair.again('replica', 'end');
      await expectNothingNew(pair);
      await pair.again('home', 'kill');
      await sendOut(pair.home.session, pair.replica.session);
      await expectNothingNew(pair);
    },
  );

  test('A-505: is what home makes of it again, or a tool', async () => {
    await using pair = await made(other['a file too large'] ?? (() => {}));
    await deleteAtHome(pair);
    mkdirSync(inHome(pair, 'd'), { mode: 0o750 });
    writeFileSync(inHome(pair, 'd/g'), "the agent's");
    await sendOut(pair.home.session, pair.replica.session);
    expect(statSync(there(pair, 'd')).mode & 0o777).toBe(0o750);
    expect(readFileSync(there(pair, 'd/g'), 'utf8')).toBe("the agent's");
    await deleteAtHome(pair);
    await expectNothingNew(pair);
    writeFileSync(there(pair, 'd/in/new'), "the tool's");
    await bringHome(pair.home.session, pair.replica.session);
    expect(readFileSync(inHome(pair, 'd/in/new'), 'utf8')).toBe("the tool's");
  });

  test.each([undefined, 'end', 'kill'] as const)(
    'A-528 P13: comes home as it is on the host if a tool writes in it later (%s)',
    async (again) => {
      await using pair = await made(other['a file too large'] ?? (() => {}));
      const modes = { d: 0o750, 'd/in': 0o700 };
      for (const [path, mode] of Object.entries(modes)) chmodSync(inHome(pair, path), mode);
      await sendOut(pair.home.session, pair.replica.session);
      await deleteAtHome(pair);
      await expectNothingNew(pair);
      if (again !== undefined) await pair.again('replica', again);
      writeFileSync(there(pair, 'd/in/new'), "the tool's");
      await bringHome(pair.home.session, pair.replica.session);
      expect(readFileSync(inHome(pair, 'd/in/new'), 'utf8')).toBe("the tool's");
      for (const [path, mode] of Object.entries(modes)) {
        const [here, far] = [statSync(inHome(pair, path)), statSync(there(pair, path))];
        expect([path, here.mode & 0o777, here.mtimeMs]).toEqual([path, mode, far.mtimeMs]);
      }
      await sendOut(pair.home.session, pair.replica.session);
      expect(await pair.replica.session.settle()).toMatchObject({ dirty: 0 });
    },
  );

  test.each([
    ['d', 'nothing', ''],
    ['d', 'a file too large', '*deleting   d/f/made\n'],
    ['d/f', 'nothing', ''],
  ])(
    'A-528 P13: a folder that a tool made where home had a file comes home if home deletes %s (with %s in it)',
    async (gone, what, difference) => {
      await using pair = await made(() => {});
      rmSync(there(pair, 'd/f'));
      mkdirSync(there(pair, 'd/f'));
      other[what]?.(there(pair, 'd/f/made'));
      rmSync(inHome(pair, gone), { recursive: true });
      await sendOut(pair.home.session, pair.replica.session);
      await bringHome(pair.home.session, pair.replica.session);
      await sendOut(pair.home.session, pair.replica.session);
      expect(statSync(inHome(pair, 'd/f')).isDirectory()).toBe(true);
      expect(existsSync(inHome(pair, 'd/in/f'))).toBe(gone !== 'd');
      expect(pair.difference).toBe(difference);
    },
  );

  test.each(Object.entries(special))(
    'A-531 P13: goes with %s that was made in it behind the exchange of a command',
    async (_what, make) => {
      await using pair = await made(() => {});
      for (const path of ['d/made', 'd/in/made']) make(there(pair, path));
      await deleteAtHome(pair);
      expect(existsSync(there(pair, 'd'))).toBe(false);
      await expectNothingNew(pair);
    },
  );

  test('A-531 P13: stays with a FIFO beside what a tool made, and nothing else of it does', async () => {
    await using pair = await made(() => {});
    special['a FIFO']?.(there(pair, 'd/in/made'));
    writeFileSync(there(pair, 'd/in/new'), "the tool's");
    await deleteAtHome(pair);
    expect(readdirSync(there(pair, 'd/in')).sort()).toEqual(['made', 'new']);
    await bringHome(pair.home.session, pair.replica.session);
    expect([readdirSync(inHome(pair, 'd')), readdirSync(inHome(pair, 'd/in'))]).toEqual([['in'], ['new']]);
  });

  test('comes back with what a tool made in it meanwhile, if only a folder, and with no other', async () => {
    await using pair = await made(special['a FIFO'] ?? (() => {}));
    mkdirSync(there(pair, 'd/new'));
    await deleteAtHome(pair);
    await bringHome(pair.home.session, pair.replica.session);
    expect([readdirSync(inHome(pair, 'd')), readdirSync(there(pair, 'd'))]).toEqual([['new'], ['new']]);
  });

  test('takes no file along that took the place of a FIFO meanwhile', async () => {
    await using pair = await made(special['a FIFO'] ?? (() => {}));
    const { home, replica } = pair;
    rmSync(inHome(pair, 'd'), { recursive: true });
    const { at } = await replica.session.settle();
    const { version } = await home.session.settle();
    await replica.session.begin({ version });
    await home.session.changes({ of: 'since', version: at }, (frame) => replica.session.put(frame));
    await replica.session.verify();
    // Its folder looks as before.
    execFileSync('touch', ['-r', there(pair, 'd/in'), join(pair.replicaPlace.folder, 'time')]);
    rmSync(there(pair, 'd/in/made'));
    writeFileSync(there(pair, 'd/in/made'), "the tool's");
    execFileSync('touch', ['-r', join(pair.replicaPlace.folder, 'time'), there(pair, 'd/in')]);
    await replica.session.commit();
    await bringHome(home.session, replica.session);
    expect(readFileSync(inHome(pair, 'd/in/made'), 'utf8')).toBe("the tool's");
  });
});
