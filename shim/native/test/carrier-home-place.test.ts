import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CarrierProcess, carrierBuilds, fileSystems, helloOf, type Place } from './carrier-process.ts';
import { agent, isRoot, makeVolume, pidOf, statusOf, toAgent } from './jailed-place.ts';

describe.runIf(isRoot)('the folder of a carrier at home', () => {
  const [{ carrier }] = carrierBuilds;
  const start = (place: Pick<Place, 'root' | 'area'>) => CarrierProcess.start(carrier, place, agent);

  test('is made for the agent beside a volume, and found again', async () => {
    using place = makeVolume();
    for (const remembered of [false, true]) {
      await using home = await start(place);
      expect(home.first.remembered).toBe(remembered);
      expect(statSync(place.area)).toMatchObject({ uid: 1000, gid: 1000, mode: 0o40700 });
      home.session.end();
      expect(await home.exited()).toBe(0);
    }
  });

  test('has one carrier: a second one is refused until the first is gone, however that ends', async () => {
    using place = makeVolume();
    for (const end of ['SIGKILL', 'end'] as const) {
      await using first = await start(place);
      await expect(start(place)).rejects.toThrow(/^carrier-failed: another carrier is at work/);
      await first.session.settle();
      if (end === 'end') first.session.end();
      else first.child.kill(end);
      await first.exited();
    }
    await using _ = await start(place);
  });

  const readOnlyAround = ({ folder, root }: Place) => {
    const script = `mount --bind ${folder} ${folder} && mount --bind ${root} ${root} &&
      mount -o remount,ro,bind ${folder} && exec "$0"`;
    return ['unshare', '-m', 'sh', '-c', script];
  };
  const onlyTheAgent = () => ['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups'];
  test.each([
    ['a carrier that is only the agent may not make it', onlyTheAgent],
    ['the file system around is read-only', readOnlyAround],
  ])('is area-apart if %s: it has a place in the workspace then', async (_what, wrapperOf) => {
    using place = makeVolume(undefined, 0o755);
    const wrapper = wrapperOf(place);
    await using refused = new CarrierProcess(carrier, wrapper);
    await expect(refused.session.ready(helloOf(place, agent))).rejects.toThrow(/^area-apart: /);
    await using home = new CarrierProcess(carrier, wrapper);
    const area = join(place.root, '.clawrden');
    const state = await home.session.ready(helloOf({ root: place.root, area }, agent));
    expect(state).toMatchObject({ entries: 5 });
  });

  test('may be in the workspace, where it is not carried', async () => {
    using place = makeVolume();
    await using home = await start({ root: place.root, area: join(place.root, '.clawrden') });
    expect(home.first).toMatchObject({ entries: 5, unconfined: false });
    expect(statSync(join(place.root, '.clawrden')).uid).toBe(1000);
  });

  test.each<[string, (place: Place) => void, RegExp]>([
    [
      'somebody else’s, and eight have given way already',
      ({ area }) => {
        for (const end of ['', 1, 2, 3, 4, 5, 6, 7, 8])
          give(end === '' ? area : `${area}-${end}`, 1001, 0o700);
      },
      /^carrier-failed: .* is not the agent's$/,
    ],
    [
      'somebody else’s, and others may enter it',
      ({ area }) => give(area, 1001, 0o755),
      /^carrier-failed: .* must be 0700$/,
    ],
    ['open to others', ({ area }) => give(area, 1000, 0o755), /^carrier-failed: .* must be 0700$/],
    [
      'root’s, with something in it',
      ({ area }) => {
        give(area, 0, 0o700);
        mkdirSync(join(area, 'x'));
      },
      /^carrier-failed: .* is not the agent's$/,
    ],
    [
      'a link',
      ({ area, folder }) => symlinkSync(join(folder, 'beside'), area),
      /^carrier-failed: .* a link /,
    ],
    ['a file', ({ area }) => writeFileSync(area, ''), /^carrier-failed: .* cannot be made/],
  ])('is refused if it is %s, and stays as it is', async (_what, plant, why) => {
    using place = makeVolume();
    plant(place);
    const before = statSync(place.area);
    await expect(start(place)).rejects.toThrow(why);
    expect(statSync(place.area)).toMatchObject({ uid: before.uid, mode: before.mode });
  });

  const wrong = { uid: 1001, gid: 1001 } as const;
  /** What is kept is called by its time, in nanoseconds. */
  const number = `${Date.now()}000000`;
  const keptIn = (area: string) => join(area, 'kept', number, 'file');

  /** As a carrier keeps what was not taken. */
  function keep(area: string, { uid }: { readonly uid: number }): void {
    const folders = ['kept', `kept/${number}`].map((name) => join(area, name));
    for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(keptIn(area), `of ${uid}`, { mode: 0o600 });
    for (const path of [...folders, keptIn(area)]) chownSync(path, uid, uid);
  }

  test.each([
    ['beside the workspace', ({ area }: Place) => area],
    ['in the workspace', ({ root }: Place) => join(root, '.clawrden')],
  ])(
    'A-100: %s: that of a wrong user gives way with what it kept, is nobody else’s, and comes back with its user',
    async (_where, areaOf) => {
      using place = makeVolume(undefined, 0o755);
      chmodSync(place.root, 0o755);
      const [root, area] = [place.root, areaOf(place)];
      const become = async (user: { readonly uid: number; readonly gid: number }) => {
        await using home = await CarrierProcess.start(carrier, { root, area }, user);
        expect(home.first.entries).toBe(5);
        expect(statSync(area)).toMatchObject({ ...user, mode: 0o40700 });
        home.session.end();
        await home.exited();
      };
      await become(wrong);
      keep(area, wrong);
      const { ino } = statSync(area);
      await become(agent);
      expect(statSync(`${area}-1`)).toMatchObject({ ino, uid: 1001, mode: 0o40700 });
      expect(statSync(keptIn(`${area}-1`)).uid).toBe(1001);
      expect(existsSync(keptIn(area))).toBe(false);
      keep(area, agent);
      await become(wrong);
      expect(statSync(area).ino).toBe(ino);
      expect(readFileSync(keptIn(area), 'utf8')).toBe('of 1001');
      await become(agent);
      expect(readFileSync(keptIn(area), 'utf8')).toBe('of 1000');
      expect(statSync(`${area}-1`).ino).toBe(ino);
    },
  );

  test('A-100: that of another user stays while a carrier is at work on it', async () => {
    using place = makeVolume(undefined, 0o755);
    await using _ = await start(place);
    await expect(CarrierProcess.start(carrier, place, wrong)).rejects.toThrow(/ is not the agent's$/);
    expect([statSync(place.area).uid, existsSync(`${place.area}-1`)]).toEqual([1000, false]);
  });

  test.each<[string, (aside: string, folder: string) => void]>([
    ['a link to one', (aside, folder) => symlinkSync(join(folder, 'beside'), aside)],
    ['of root', (aside) => give(aside, 0, 0o700)],
    ['of another user', (aside) => give(aside, 1001, 0o700)],
    ['open to others', (aside) => give(aside, 1000, 0o755)],
    ['a file', (aside) => writeFileSync(aside, '', { mode: 0o600 })],
  ])(
    'A-100: a folder that is said to have given way does not come back if it is %s',
    async (_what, plant) => {
      using place = makeVolume();
      plant(`${place.area}-1`, place.folder);
      const before = lstatSync(`${place.area}-1`);
      await using _ = await start(place);
      expect(lstatSync(`${place.area}-1`)).toMatchObject({
        ino: before.ino,
        uid: before.uid,
        mode: before.mode,
      });
      expect(statSync(place.area).uid).toBe(1000);
    },
  );

  test('is taken if root made it and died before it gave it', async () => {
    using place = makeVolume();
    give(place.area, 0, 0o700);
    await using home = await start(place);
    expect([home.first.unconfined, statSync(place.area).uid]).toEqual([false, 1000]);
  });

  test('is refused on another file system, where none is left, and around the workspace', async () => {
    using place = makeVolume(fileSystems[0]);
    using other = makeVolume(fileSystems[1]);
    await expect(start({ root: place.root, area: other.area })).rejects.toThrow(/^area-apart: /);
    expect(existsSync(other.area)).toBe(false);
    for (const area of [place.root, place.folder]) {
      await expect(start({ root: place.root, area })).rejects.toThrow(/^bad-hello: /);
    }
  });

  test('and the workspace are not looked for through links, as root would be led', async () => {
    using place = makeVolume();
    const led = join(place.folder, 'led');
    symlinkSync(place.root, led);
    await expect(start({ root: led, area: place.area })).rejects.toThrow(
      /^workspace-missing: a symbolic link /,
    );
    symlinkSync(place.folder, join(place.root, 'up'));
    const area = join(place.root, 'up', 'area');
    await expect(start({ root: place.root, area })).rejects.toThrow(/^carrier-failed: /);
    expect(readdirSync(place.folder).sort()).toEqual(['base', 'beside', 'led']);
  });

  function give(area: string, uid: number, mode: number): void {
    mkdirSync(area);
    chmodSync(area, mode);
    chownSync(area, uid, uid);
  }
});

describe.runIf(isRoot)('a carrier in a jail', () => {
  const [{ carrier }] = carrierBuilds;

  test('16: knows that its workspace was renamed, replaced or removed, and that it is there again', async () => {
    using place = makeVolume();
    await using home = await CarrierProcess.start(carrier, place, agent);
    const lost = async () => (await home.session.settle()).lost;
    expect(await lost()).toBe(false);
    renameSync(place.root, `${place.root}.old`);
    expect(await lost()).toBe(true);
    mkdirSync(place.root);
    expect(await lost()).toBe(true);
    rmdirSync(place.root);
    renameSync(`${place.root}.old`, place.root);
    expect(await lost()).toBe(false);
    renameSync(place.folder, `${place.folder}.moved`);
    expect(await lost()).toBe(true);
    renameSync(`${place.folder}.moved`, place.folder);
    execFileSync('rm', ['-r', place.root]);
    expect(await lost()).toBe(true);
  });

  test('16: sees what the host mounts over its workspace, and carries nothing that is mounted in it', async () => {
    using place = makeVolume();
    mkdirSync(join(place.root, 'in'));
    // A host of its own, whose mounts are shared as systemd's are.
    const host = spawn('unshare', ['-m', '--propagation', 'shared', 'sh', '-c', 'echo; exec sleep 60']);
    try {
      await new Promise((resolve) => host.stdout.once('data', resolve));
      const inHost = ['nsenter', '-t', `${host.pid}`, '-m'] as const;
      const [enter, ...words] = inHost;
      const run = (...command: string[]) => execFileSync(enter, [...words, ...command]);
      run('mount', '-t', 'tmpfs', 'clawrden-test', join(place.root, 'in'));
      await using home = new CarrierProcess(carrier, inHost);
      const first = await home.session.ready(helloOf(place, agent));
      expect(first).toMatchObject({ lost: false, unconfined: false });
      expect(first.skipped.map(({ why, path }) => `${why} ${path.toString()}`)).toEqual(['other-device in']);
      run('mount', '-t', 'tmpfs', 'clawrden-test', place.root);
      expect((await home.session.settle()).lost).toBe(true);
      run('umount', place.root);
      expect((await home.session.settle()).lost).toBe(false);
    } finally {
      host.kill('SIGKILL');
    }
  });

  test('is not in one, and says so, if root may not mount; it is the agent all the same', async () => {
    using place = makeVolume(fileSystems[0], 0o755);
    mkdirSync(place.area, { mode: 0o700 });
    toAgent(place.area);
    const args = ['--bounding-set', '-sys_admin', '--inh-caps', '-all'];
    await using home = new CarrierProcess(carrier, ['setpriv', ...args]);
    expect((await home.session.ready(helloOf(place, agent))).unconfined).toBe(true);
    const status = statusOf(pidOf(home));
    expect(status).toMatchObject({ CapEff: '0000000000000000', Seccomp: '2', NoNewPrivs: '1' });
    expect(status['Uid']).toBe('1000\t1000\t1000\t1000');
  });

  test('goes on after it was stopped', async () => {
    using place = makeVolume();
    await using home = await CarrierProcess.start(carrier, place, agent);
    home.child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 20));
    home.child.kill('SIGCONT');
    expect((await home.session.settle()).entries).toBe(5);
  });
});
