import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/carrier-client/hello.ts';
import { BetweenSteps } from './between-steps.ts';
import { CarrierProcess, carrierBuilds, fileSystems, makePlace, type Place } from './carrier-process.ts';
import { sanitizedProgram } from './native-builds.ts';
import { Dice, disturb } from './random-tree.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const first = Number(process.env['CLAWRDEN_SEED'] ?? 1);

/** What a carrier says that has never seen the tree before. */
async function freshTree(carrier: string, place: Place): Promise<string> {
  await using fresh = await CarrierProcess.start(carrier, {
    root: place.root,
    area: join(place.folder, 'fresh'),
  });
  return fresh.first.tree;
}

const everywhere = fileSystems.flatMap((under) => carrierBuilds.map((build) => ({ ...build, under })));
/** Each build and each file system once; all of them where there is time. */
const places = long ? everywhere : [0, 3].map((place) => everywhere[place]!);

/** Folders `y` in each other, deeper than a path reaches. */
function nest(root: string, depth: number): void {
  const script = `for (let i = 0; i < ${depth}; i++) { fs.mkdirSync('y'); process.chdir('y'); }`;
  execFileSync(process.execPath, ['-e', script], { cwd: root });
}

describe.each(places)('the index of a carrier ($name, $under)', ({ name, carrier, under }) => {
  const rounds = long ? 100 : name === 'static' ? 10 : 4;

  test(
    `after any changes it is what a new look at everything finds (${rounds} rounds, CLAWRDEN_SEED=${first})`,
    async () => {
      using place = makePlace(under);
      await using index = await CarrierProcess.start(carrier, place);
      const dice = new Dice(first);
      for (let round = 0; round < rounds; round++) {
        disturb(place.root, dice, 1 + dice.below(25));
        const { tree, unstable, version } = await index.session.settle();
        expect(unstable).toEqual([]);
        expect((await index.session.settle()).version).toEqual(version);
        const fresh = await freshTree(carrier, place);
        expect(tree, `round ${round}`).toBe(fresh);
      }
    },
    long ? 600_000 : 60_000,
  );

  test('14: an edit that leaves size and mtime as they were is seen, however soon after the last look', async () => {
    using place = makePlace(under);
    const file = join(place.root, 'file');
    writeFileSync(file, 'before');
    utimesSync(file, 1, 1);
    await using index = await CarrierProcess.start(carrier, place);
    let { tree } = index.first;
    for (const text of ['after!', 'before', 'again.', 'before']) {
      writeFileSync(file, text);
      utimesSync(file, 1, 1);
      const now = await index.session.settle();
      expect(now.tree).not.toBe(tree);
      tree = now.tree;
    }
    expect(tree).toBe(index.first.tree);
  });

  test.each([-3600, 3600])(
    '14: so is one if the clock that stamps files was set %i s away',
    async (ahead) => {
      using place = makePlace(under);
      using steps = new BetweenSteps(place.folder);
      const file = join(place.root, 'file');
      writeFileSync(file, 'first');
      const wrapper = [...steps.wrapper, `CLAWRDEN_AHEAD=${ahead}`];
      await using index = await CarrierProcess.start(BetweenSteps.carrier, place, {}, wrapper);
      let { tree } = index.first;
      for (let i = 0; i < 20; i++) {
        writeFileSync(file, `no ${i}`.padEnd(5));
        utimesSync(file, 1, 1);
        const now = await index.session.settle();
        expect(now.tree).not.toBe(tree);
        tree = now.tree;
      }
    },
  );

  test('9: what is written through a mapping is seen when that ends, at each name, though no time tells of it', async () => {
    using place = makePlace(under);
    const [file, other] = [join(place.root, 'file'), join(place.root, 'name')];
    writeFileSync(file, Buffer.alloc(40_000));
    linkSync(file, other);
    await using index = await CarrierProcess.start(carrier, place);
    const argv = ['mapped-again', file, '', '0', 'written '];
    const writer = spawn(sanitizedProgram('clawrden-exchange'), argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(writer.stdout, 'data');
    // Something is told of it, or it would not be looked at.
    chmodSync(other, 0o600);
    // By then a file that was just changed is believed to be what was read of it.
    await sleep(60);
    const { tree } = await index.session.settle();
    const { ctimeNs } = statSync(file, { bigint: true });
    writer.stdin.end('go\n');
    await once(writer, 'exit');
    expect(statSync(file, { bigint: true }).ctimeNs).toBe(ctimeNs);
    const now = await index.session.settle();
    expect(now.tree).not.toBe(tree);
    expect(now.tree).toBe(await freshTree(carrier, place));
  });

  test('15: a folder that was renamed and made again under its name, and one that was moved out and back in', async () => {
    using place = makePlace(under);
    const at = (...path: string[]) => join(place.root, ...path);
    mkdirSync(at('d', 'e'), { recursive: true });
    await using index = await CarrierProcess.start(carrier, place);
    renameSync(at('d'), at('old'));
    mkdirSync(at('d', 'e'), { recursive: true });
    await index.session.settle();
    writeFileSync(at('d', 'e', 'new'), 'x');
    writeFileSync(at('old', 'e', 'new'), 'y');
    expect((await index.session.settle()).tree).toBe(await freshTree(carrier, place));
    renameSync(at('old'), join(place.folder, 'out'));
    await index.session.settle();
    writeFileSync(join(place.folder, 'out', 'e', 'outside'), 'z');
    renameSync(join(place.folder, 'out'), at('back'));
    const back = await index.session.settle();
    expect(back.tree).toBe(await freshTree(carrier, place));
    appendFileSync(at('back', 'e', 'outside'), 'z');
    expect((await index.session.settle()).tree).not.toBe(back.tree);
  });

  test.runIf(process.getuid?.() === 0)(
    '22: a folder that the agent could not read is looked at and watched once it can be',
    async () => {
      using place = makePlace(under);
      const at = (...path: string[]) => join(place.root, ...path);
      mkdirSync(at('d'), { mode: 0 });
      execFileSync('chown', ['-R', '1000:1000', place.folder]);
      await using index = await CarrierProcess.start(carrier, place, { uid: 1000, gid: 1000 });
      expect(index.first.entries).toBe(2);
      writeFileSync(at('d', 'a'), 'x');
      chmodSync(at('d'), 0o755);
      expect((await index.session.settle()).entries).toBe(3);
      writeFileSync(at('d', 'b'), 'x');
      expect((await index.session.settle()).entries).toBe(4);
    },
  );

  test('10: what is written through a name that was just made is seen at the other names', async () => {
    using place = makePlace(under);
    const at = (path: string) => join(place.root, path);
    for (const path of ['b', 'c']) writeFileSync(at(path), 'x');
    linkSync(at('b'), at('d'));
    await using index = await CarrierProcess.start(carrier, place);
    for (const path of ['a', 'e']) {
      linkSync(at('b'), at(path));
      appendFileSync(at(path), 'more');
      const { tree } = await index.session.settle();
      expect(tree).toBe(await freshTree(carrier, place));
    }
  });

  test('15: more changes than the kernel keeps are found all the same', async () => {
    using place = makePlace(under);
    await using index = await CarrierProcess.start(carrier, place);
    index.child.kill('SIGSTOP');
    // Each a name of its own: events that are alike are one.
    for (let i = 0; i < 6000; i++) {
      writeFileSync(join(place.root, `f${i}`), '');
      rmSync(join(place.root, `f${i}`));
    }
    writeFileSync(join(place.root, 'last'), 'x');
    index.child.kill('SIGCONT');
    const now = await index.session.settle();
    expect(now).toMatchObject({ entries: 2, scans: false });
    expect(now.tree).toBe(await freshTree(carrier, place));
  });

  test.runIf(process.getuid?.() === 0)(
    '6, 8: what is not carried is told: special files, depth, names that are ours',
    async () => {
      using place = makePlace(under);
      const at = (...path: string[]) => join(place.root, ...path);
      execFileSync('mkfifo', [at('fifo')]);
      execFileSync('mknod', [at('device'), 'c', '1', '3']);
      for (const end of ['', '-1', '-8', '-0', '-9', '-10']) mkdirSync(at(`.clawrden${end}`));
      mkdirSync(at('d', '.clawrden'), { recursive: true });
      symlinkSync('/nonexistent/clawrden', at('out'));
      nest(place.root, 300);
      await using index = await CarrierProcess.start(carrier, place);
      const { skipped, entries, skippedCount } = index.first;
      const deep = Array.from({ length: 256 }, () => 'y').join('/');
      const told = skipped.map(({ why, path }) => `${why} ${path.toString()}`).sort();
      expect(told).toEqual([
        ...['', '-1', '-8'].map((end) => `reserved .clawrden${end}`),
        ...['special device', 'special fifo', `too-deep ${deep}`],
      ]);
      expect(skippedCount).toBe(6);
      // The root, d, d/.clawrden, out, three names that are not ours, and 255 folders.
      expect(entries).toBe(262);
      rmSync(at('fifo'));
      writeFileSync(at('fifo'), 'a file now');
      expect(await index.session.settle()).toMatchObject({ skippedCount: 5, entries: 263 });
    },
  );

  test('6: folders in each other without end cost no descriptors and are told', async () => {
    using place = makePlace(under);
    nest(place.root, long ? 10_000 : 1000);
    await using index = await CarrierProcess.start(carrier, place);
    expect(index.first).toMatchObject({ entries: 256, skippedCount: 1 });
    execFileSync('rm', ['-rf', join(place.root, 'y')]);
    expect(await index.session.settle()).toMatchObject({ entries: 1, skippedCount: 0 });
  });

  test('11: entries above the limit are not taken, and the state says so', async () => {
    using place = makePlace(under);
    for (let i = 0; i < 50; i++) writeFileSync(join(place.root, `f${i}`), 'x');
    const limits = { ...defaultLimits, entries: 20, file: 1000 };
    await using index = await CarrierProcess.start(carrier, place, { limits });
    expect(index.first).toMatchObject({ full: true, entries: 20, skippedCount: 31 });
  });

  test('16: a root that is gone, or another in its place, is no empty workspace', async () => {
    using place = makePlace(under);
    writeFileSync(join(place.root, 'file'), 'x');
    await using index = await CarrierProcess.start(carrier, place);
    renameSync(place.root, `${place.root}.old`);
    expect(await index.session.settle()).toMatchObject({ lost: true });
    mkdirSync(place.root);
    expect(await index.session.settle()).toMatchObject({ lost: true });
    rmSync(place.root, { recursive: true });
    renameSync(`${place.root}.old`, place.root);
    expect(await index.session.settle()).toMatchObject({ lost: false, entries: 2 });
    expect(statSync(join(place.root, 'file')).size).toBe(1);
  });

  test('9: a sparse file of ten gigabytes is known at once', async () => {
    using place = makePlace(under);
    execFileSync('truncate', ['-s', '10G', join(place.root, 'sparse')]);
    await using index = await CarrierProcess.start(carrier, place, {
      limits: { ...defaultLimits, file: 20 * 1024 ** 3 },
    });
    expect(index.first).toMatchObject({ entries: 2, bytes: 10 * 1024 ** 3 });
  });

  test('15: without enough watches it scans and says so, until there are enough again', async () => {
    using place = makePlace(under);
    for (let i = 0; i < 30; i++) mkdirSync(join(place.root, `d${i}`));
    // Without capabilities: its root must not be the one of a jail.
    const without = 'setpriv --bounding-set=-all --inh-caps=-all';
    const limit = '/proc/sys/user/max_inotify_watches';
    const script = `echo 10 > ${limit} && exec ${without} "$0"`;
    const wrapper = ['unshare', '--user', '--map-root-user', 'sh', '-c', script];
    await using index = new CarrierProcess(carrier, wrapper);
    const { root, area } = place;
    const said = await index.session.ready({
      role: 'home',
      uid: 0,
      gid: 0,
      limits: defaultLimits,
      root,
      area,
    });
    expect(said.scans).toBe(true);
    writeFileSync(join(place.root, 'd29', 'new'), 'x');
    const now = await index.session.settle();
    expect(now).toMatchObject({ scans: true, entries: 32 });
    expect(now.tree).toBe(await freshTree(carrier, place));
    const entered = ['--preserve-credentials', `--user=/proc/${index.child.pid}/ns/user`];
    execFileSync('nsenter', [...entered, 'sh', '-c', `echo 1000 > ${limit}`]);
    await expect.poll(async () => (await index.session.settle({ all: true })).scans).toBe(false);
    writeFileSync(join(place.root, 'd28', 'newer'), 'x');
    const later = await index.session.settle();
    expect(later).toMatchObject({ scans: false, entries: 33 });
    expect(later.tree).toBe(await freshTree(carrier, place));
  });
});
