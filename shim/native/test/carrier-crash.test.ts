import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, CarrierProcess, makePlace } from './carrier-process.ts';
import { Dice, disturb } from './random-tree.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);
const places = buildsOrOnly('static');

/** Every plain file of a tree with its bytes, as one text each. */
function filesOf(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const item of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, item.name);
      if (item.isDirectory()) walk(path);
      else if (item.isFile()) found.set(path, readFileSync(join(root, path), 'latin1'));
    }
  };
  walk('');
  return found;
}

describe.each(places)('a carrier that ends ($name, $under)', ({ name, carrier, under }) => {
  const rounds = long ? 100 : name === 'static' ? 8 : 3;

  test(
    `23: killed anywhere in an exchange, each file is before or after and the next one converges (${rounds}, CLAWRDEN_SEED=${first})`,
    async () => {
      await using pair = await Pair.make(carrier, under);
      const dice = new Dice(first);
      disturb(pair.homePlace.root, dice, 40);
      await sendOut(pair.home.session, pair.replica.session);
      for (let round = 0; round < rounds; round++) {
        const before = filesOf(pair.homePlace.root);
        disturb(pair.replicaPlace.root, dice, 1 + dice.below(25));
        const after = filesOf(pair.replicaPlace.root);
        const victim = dice.pick(['home', 'replica'] as const);
        // After so many frames were handed on, or while what was checked is moved.
        const frames = dice.below(40);
        const kill = setTimeout(() => pair[victim].child.kill('SIGKILL'), frames);
        await bringHome(pair.home.session, pair.replica.session).catch(() => {});
        clearTimeout(kill);
        for (const [path, bytes] of filesOf(pair.homePlace.root))
          expect([path, [before.get(path), after.get(path)].includes(bytes)]).toEqual([path, true]);
        await pair.again('home', dice.pick(['kill', 'end']));
        await pair.again('replica', dice.pick(['kill', 'end']));
        const back = await bringHome(pair.home.session, pair.replica.session);
        expect(back?.exchanged.applied.refused ?? []).toEqual([]);
        await sendOut(pair.home.session, pair.replica.session);
        expect([round, pair.difference]).toEqual([round, '']);
        expect(filesOf(pair.homePlace.root)).toEqual(after);
        expect((await pair.home.session.settle()).tree).toBe((await pair.replica.session.settle()).tree);
      }
    },
    long ? 600_000 : 60_000,
  );

  test('its index outlives it: after an end the version is the same, after a kill it is another', async () => {
    await using pair = await Pair.make(carrier, under);
    writeFileSync(join(pair.homePlace.root, 'f'), 'x');
    await sendOut(pair.home.session, pair.replica.session);
    const { version, tree } = await pair.home.session.settle();
    await pair.again('home', 'end');
    await pair.again('replica', 'end');
    const [home, replica] = [await pair.home.session.settle(), await pair.replica.session.settle()];
    expect(home).toMatchObject({ remembered: true, version, tree });
    expect(replica).toMatchObject({ remembered: true, at: version, dirty: 0 });
    expect(await sendOut(pair.home.session, pair.replica.session)).toBeUndefined();
    writeFileSync(join(pair.homePlace.root, 'g'), 'x');
    await pair.home.session.settle();
    await pair.again('home', 'kill');
    expect((await pair.home.session.settle()).version.epoch).not.toBe(version.epoch);
    await sendOut(pair.home.session, pair.replica.session);
    expect(pair.difference).toBe('');
  });

  test('changes of a replica that nobody asked for yet are known by the next carrier', async () => {
    await using pair = await Pair.make(carrier, under);
    writeFileSync(join(pair.homePlace.root, 'f'), 'base');
    await sendOut(pair.home.session, pair.replica.session);
    await pair.again('replica', 'end');
    pair.replica.child.kill('SIGKILL');
    await pair.replica.exited();
    writeFileSync(join(pair.replicaPlace.root, 'f'), 'tool');
    writeFileSync(join(pair.replicaPlace.root, 'new'), 'tool');
    await pair.again('replica', 'kill');
    expect(await pair.replica.session.settle()).toMatchObject({ remembered: true, dirty: 3 });
    const back = await bringHome(pair.home.session, pair.replica.session);
    expect(back?.exchanged.applied.refused).toEqual([]);
    expect(readFileSync(join(pair.homePlace.root, 'f'), 'utf8')).toBe('tool');
  });

  test('an index that was damaged, cut or exchanged for another kind of file is not believed', async () => {
    using place = makePlace(under);
    const index = join(place.area, 'index');
    disturb(place.root, new Dice(first), 60);
    const started = async () => {
      await using carrierNow = await CarrierProcess.start(carrier, place);
      carrierNow.session.end();
      await carrierNow.exited();
      return carrierNow.first;
    };
    const { tree } = await started();
    const whole = readFileSync(index);
    expect(await started()).toMatchObject({ tree, remembered: true });
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 15)) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      writeFileSync(index, damaged);
      expect(await started()).toMatchObject({ tree, remembered: false });
      writeFileSync(index, whole.subarray(0, at));
      expect(await started()).toMatchObject({ tree, remembered: false });
    }
    rmSync(index);
    mkdirSync(index);
    expect(await started()).toMatchObject({ tree, remembered: false });
    rmSync(index, { recursive: true });
    execFileSync('mkfifo', [index]);
    expect(await started()).toMatchObject({ tree, remembered: false });
  });

  test.runIf(process.getuid?.() === 0)('23: a disk that is full moves nothing, and says so', async () => {
    await using pair = await Pair.make(carrier, under);
    const small = join(pair.homePlace.folder, 'small');
    mkdirSync(small);
    // In a mount namespace of its own, which ends with the carrier.
    const script =
      'mount -t tmpfs -o size=300k none "$1" && mkdir "$1/base" && echo old > "$1/base/f" && "$0"; exit';
    await using full = new CarrierProcess('unused', ['unshare', '-m', 'sh', '-c', script, carrier, small]);
    const over = { uid: 0, gid: 0, limits: { entries: 1000, bytes: 1e9, file: 1e9, depth: 255 } };
    await full.session.ready({ role: 'home', ...over, root: join(small, 'base'), area: join(small, 'area') });
    await sendOut(full.session, pair.replica.session);
    writeFileSync(join(pair.replicaPlace.root, 'f'), 'new');
    writeFileSync(join(pair.replicaPlace.root, 'large'), Buffer.alloc(500_000, 'x'));
    const { tree } = await full.session.settle();
    const free = () => statfsSync(`/proc/${full.child.pid}/root${small}`).bavail;
    const before = free();
    await expect(bringHome(full.session, pair.replica.session)).rejects.toThrow('workspace-full');
    expect(free()).toBe(before);
    expect((await full.session.settle()).tree).toBe(tree);
    rmSync(join(pair.replicaPlace.root, 'large'));
    const back = await bringHome(full.session, pair.replica.session);
    expect(back?.exchanged.applied.refused).toEqual([]);
    expect(existsSync(small) && statSync(small).isDirectory()).toBe(true);
  });
});
