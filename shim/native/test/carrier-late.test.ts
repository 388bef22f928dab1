import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  futimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, CarrierProcess, helloOf, makePlace } from './carrier-process.ts';

const places = buildsOrOnly('static');

describe.each(places)('what is written late ($name, $under)', ({ name: build, carrier, under }) => {
  const changes = [
    ['replaced', (there: (path: string) => string) => writeFileSync(there('d/f'), 'tool')],
    ['deleted', (there: (path: string) => string) => rmSync(there('d/f'))],
    ['deleted with its folder', (there: (path: string) => string) => rmSync(there('d'), { recursive: true })],
  ] as const;

  test.each(changes)(
    '4: a write through an old descriptor of a file that was %s is kept and told',
    async (_name, change) => {
      await using pair = await Pair.make(carrier, under);
      const here = (path: string) => join(pair.homePlace.root, path);
      mkdirSync(here('d'));
      for (const name of ['d/f', 'd/quiet']) writeFileSync(here(name), 'base');
      await sendOut(pair.home.session, pair.replica.session);
      const old = openSync(here('d/f'), 'r+');
      try {
        change((path) => join(pair.replicaPlace.root, path));
        const back = await bringHome(pair.home.session, pair.replica.session);
        expect(back?.exchanged.applied.refused).toEqual([]);
        expect(await pair.home.session.settle()).toMatchObject({ lateCount: 0, late: [] });
        writeSync(old, 'late write of the agent', 0);
        const { late } = await pair.home.session.settle();
        expect(late.map(({ path }) => path.toString())).toEqual(['d/f']);
        const kept = join(pair.homePlace.area, 'kept', late[0]?.kept ?? '');
        expect(readFileSync(kept, 'utf8')).toBe('late write of the agent');
        // It is the same file: what comes later still is there, too. It is told once.
        writeSync(old, 'LATE', 0);
        expect(await pair.home.session.settle()).toMatchObject({ lateCount: 0, late: [] });
        expect(readFileSync(kept, 'utf8')).toBe('LATE write of the agent');
      } finally {
        closeSync(old);
      }
      expect(pair.difference).toBe('');
    },
  );

  test('4: so is one of a file in a folder that a replica empties in part', async () => {
    await using pair = await Pair.make(carrier, under);
    const there = (path: string) => join(pair.replicaPlace.root, path);
    mkdirSync(join(pair.homePlace.root, 'd', 'in'), { recursive: true });
    for (const name of ['stays', 'd/f', 'd/in/f', 'd/quiet'])
      writeFileSync(join(pair.homePlace.root, name), 'base');
    await sendOut(pair.home.session, pair.replica.session);
    const old = ['d/f', 'd/in/f'].map((path) => openSync(there(path), 'r+'));
    try {
      rmSync(join(pair.homePlace.root, 'd'), { recursive: true });
      writeFileSync(there('d/new'), 'tool');
      await sendOut(pair.home.session, pair.replica.session);
      expect(readdirSync(there('d'))).toEqual(['new']);
      for (const descriptor of old) writeSync(descriptor, 'late write of the tool', 0);
      const { late } = await pair.replica.session.settle();
      expect(late.map(({ path }) => path.toString()).sort()).toEqual(['d/f', 'd/in/f']);
      for (const { kept } of late)
        expect(readFileSync(join(pair.replicaPlace.area, 'kept', kept), 'utf8')).toBe(
          'late write of the tool',
        );
    } finally {
      for (const descriptor of old) closeSync(descriptor);
    }
    await bringHome(pair.home.session, pair.replica.session);
    await sendOut(pair.home.session, pair.replica.session);
    expect(pair.difference).toBe('');
  });

  test('4: a write that restores size and mtime is found by its bytes, and no state that tells of it is lost', async () => {
    await using pair = await Pair.make(carrier, under);
    const path = join(pair.homePlace.root, 'f');
    writeFileSync(path, 'base');
    utimesSync(path, 1e9, 1e9);
    await sendOut(pair.home.session, pair.replica.session);
    const old = openSync(path, 'r+');
    try {
      rmSync(join(pair.replicaPlace.root, 'f'));
      await bringHome(pair.home.session, pair.replica.session);
      await pair.home.session.settle();
      writeSync(old, 'LATE', 0);
      futimesSync(old, 1e9, 1e9);
      await sendOut(pair.home.session, pair.replica.session);
    } finally {
      closeSync(old);
    }
    const { count, files } = pair.home.session.takeLate();
    expect([count, files.map((file) => file.path.toString())]).toEqual([1, ['f']]);
    expect(readFileSync(join(pair.homePlace.area, 'kept', files[0]?.kept ?? ''), 'utf8')).toBe('LATE');
    expect(pair.home.session.takeLate()).toEqual({ count: 0, files: [] });
  });

  test('4: in a folder that went no new file can be made that would go with it', async () => {
    await using pair = await Pair.make(carrier, under);
    const folder = join(pair.homePlace.root, 'd');
    mkdirSync(folder);
    writeFileSync(join(folder, 'f'), 'base');
    await sendOut(pair.home.session, pair.replica.session);
    const worker = spawn('sh', ['-c', 'read go; : > new'], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(worker, 'exit');
    await once(worker, 'spawn');
    rmSync(join(pair.replicaPlace.root, 'd'), { recursive: true });
    await bringHome(pair.home.session, pair.replica.session);
    await pair.home.session.settle();
    worker.stdin.end('go\n');
    expect((await ended)[0]).not.toBe(0);
    expect(readdirSync(join(pair.homePlace.area, 'grave'))).toEqual(['0']);
  });

  test('4: a write through a name that stays is seen there, and no grave outlives the carrier', async () => {
    await using pair = await Pair.make(carrier, under);
    const [here, there] = [pair.homePlace.root, pair.replicaPlace.root];
    writeFileSync(join(here, 'f'), 'base');
    await sendOut(pair.home.session, pair.replica.session);
    const old = openSync(join(here, 'f'), 'r+');
    renameSync(join(there, 'f'), join(there, 'g'));
    writeFileSync(join(there, 'f'), 'tool');
    await bringHome(pair.home.session, pair.replica.session);
    expect(readdirSync(join(pair.homePlace.area, 'grave'))).toHaveLength(1);
    writeSync(old, 'late');
    closeSync(old);
    pair.home.session.end();
    await pair.home.exited();
    expect(readdirSync(join(pair.homePlace.area, 'grave'))).toEqual([]);
    const [folder = ''] = readdirSync(join(pair.homePlace.area, 'kept'));
    expect(readFileSync(join(pair.homePlace.area, 'kept', folder, '0'), 'utf8')).toBe('late');
  });

  test.runIf(build === 'static' && existsSync('/usr/bin/strace'))(
    '23: a replacement is on the disk before it is moved in',
    async () => {
      await using pair = await Pair.make(carrier, under);
      using place = makePlace(under);
      const log = join(place.folder, 'calls');
      const wrapper = ['strace', '-f', '-o', log, '-e', 'trace=fdatasync,renameat2'];
      await using home = new CarrierProcess(carrier, wrapper);
      writeFileSync(join(place.root, 'f'), 'base');
      await home.session.ready(helloOf(place));
      await sendOut(home.session, pair.replica.session);
      for (const file of ['f', 'new']) writeFileSync(join(pair.replicaPlace.root, file), 'tool');
      await bringHome(home.session, pair.replica.session);
      home.session.end();
      await home.exited();
      const calls = readFileSync(log, 'utf8').match(/fdatasync|RENAME_EXCHANGE/g);
      expect(calls).toEqual(['fdatasync', 'RENAME_EXCHANGE']);
    },
  );

  test('what is kept has an age and a size, and the newest stays', async () => {
    using place = makePlace(under);
    const kept = (name: string) => join(place.area, 'kept', name);
    const isAsOldAsItsName = (name: string) => {
      const seconds = Number(BigInt(name) / 1_000_000n) / 1000;
      utimesSync(kept(name), seconds, seconds);
    };
    const made = (ageSeconds: number, size: number): string => {
      const name = `${BigInt(Date.now() - ageSeconds * 1000) * 1_000_000n}`;
      mkdirSync(kept(name), { recursive: true, mode: 0o700 });
      writeFileSync(join(kept(name), '0'), Buffer.alloc(size, 'x'));
      isAsOldAsItsName(name);
      return name;
    };
    made(7200, 1);
    made(1800, 200_000);
    const [small, large] = [made(1200, 10_000), made(600, 500_000)];
    const others = ['not ours', '007', '+5', '99999999999999999999'];
    for (const name of others) mkdirSync(kept(name));
    const over = { kept: { seconds: 3600, bytes: 600_000 } };
    await using first = await CarrierProcess.start(carrier, place, over);
    expect(readdirSync(kept('')).sort()).toEqual([small, large, ...others].sort());
    first.session.end();
    await first.exited();
    await using second = await CarrierProcess.start(carrier, place, { kept: { seconds: 3600, bytes: 1 } });
    expect(readdirSync(kept('')).sort()).toEqual([large, ...others].sort());
    expect(second.first.late).toEqual([]);
    second.session.end();
    await second.exited();
    // Files without bytes count, too.
    for (let i = 0; i < 100; i++) writeFileSync(join(kept(large), `empty${i}`), '');
    truncateSync(join(kept(large), '0'));
    isAsOldAsItsName(large);
    const newest = made(1, 1);
    await using third = await CarrierProcess.start(carrier, place, {
      kept: { seconds: 3600, bytes: 300_000 },
    });
    expect(readdirSync(kept('')).sort()).toEqual([newest, ...others].sort());
    expect(third.first.late).toEqual([]);
  });
});
