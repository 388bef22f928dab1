import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CarrierState } from '../../../src/carrier-client/carrier-state.ts';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { BetweenSteps } from './between-steps.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly, CarrierProcess, makePlace, type Place } from './carrier-process.ts';
import { agent, isRoot, toAgent } from './jailed-place.ts';
import { Dice } from './random-tree.ts';

const { ENFILE, ENOSYS } = constants.errno;
const long = process.env['CLAWRDEN_LONG'] === '1';
const seed = Number(process.env['CLAWRDEN_SEED'] ?? 1);

/** Runs as the agent, as both its own programs and its tools do. */
function asAgent({ root }: Place, script: string): void {
  const become = [`--reuid=${agent.uid}`, `--regid=${agent.gid}`, '--clear-groups'];
  execFileSync('setpriv', [...become, 'sh', '-ec', script], { cwd: root });
}

function unreadable({ skipped, skippedCount }: CarrierState): string[] {
  // No path is counted that is not told.
  expect(skippedCount).toBe(skipped.length);
  expect(skipped.filter(({ why }) => why !== 'unreadable')).toEqual([]);
  return skipped.map(({ path }) => path.toString()).toSorted();
}

describe.runIf(isRoot).each(buildsOrOnly('static'))('what the agent may not read ($name)', (build) => {
  async function made(): Promise<Pair> {
    const pair = await Pair.make(build.carrier, build.under, agent, ({ folder }) => {
      toAgent(folder);
      return [];
    });
    chownSync(pair.homePlace.folder, 0, 0);
    for (const { folder } of [pair.homePlace, pair.replicaPlace]) chmodSync(folder, 0o755);
    return pair;
  }

  test('12: is named, arrives empty, and is named no more once it may be read', async () => {
    await using pair = await made();
    const { homePlace, replicaPlace, home, replica } = pair;
    const closed = join(homePlace.root, 'roots');
    mkdirSync(closed, { mode: 0o700 });
    writeFileSync(join(closed, 'in'), 'x');
    asAgent(homePlace, 'mkdir own listed; echo x >own/in; echo x >listed/in; echo x >file; : >empty');
    asAgent(homePlace, 'chmod 0 own file empty; chmod 600 listed');
    expect(unreadable(await home.session.settle())).toEqual(['file', 'listed', 'own', 'roots']);
    await sendOut(home.session, replica.session);
    const there = (name: string) => readdirSync(join(replicaPlace.root, name));
    expect(['listed', 'own', 'roots'].map(there)).toEqual([[], [], []]);
    asAgent(homePlace, 'chmod 700 own listed; chmod 600 file');
    expect(unreadable(await home.session.settle())).toEqual(['roots']);
    await sendOut(home.session, replica.session);
    expect(['listed', 'own', 'roots'].map(there)).toEqual([['in'], ['in'], []]);
    asAgent(homePlace, 'rm -r own listed file empty');
    chmodSync(closed, 0o755);
    expect(unreadable(await home.session.settle())).toEqual([]);
  });

  test('12: is not gone because somebody else writes there: what came before stays on the host', async () => {
    await using pair = await made();
    const { homePlace, replicaPlace, home, replica } = pair;
    asAgent(homePlace, 'mkdir d; echo x >d/file');
    await sendOut(home.session, replica.session);
    asAgent(homePlace, 'chmod 600 d');
    writeFileSync(join(homePlace.root, 'd/file'), 'y');
    await sendOut(home.session, replica.session);
    expect(readFileSync(join(replicaPlace.root, 'd/file'), 'utf8')).toBe('x\n');
    asAgent(homePlace, 'chmod 700 d');
    await sendOut(home.session, replica.session);
    expect(readFileSync(join(replicaPlace.root, 'd/file'), 'utf8')).toBe('y');
    expect(pair.difference).toBe('');
  });

  test.each([
    ['removes', 'rm -r own'],
    ['replaces', 'rm -r own; echo mine >own'],
    ['moves', 'mv own other'],
  ])('12: stays at home if a tool %s the folder that arrived empty', async (_what, script) => {
    await using pair = await made();
    const { homePlace, replicaPlace, home, replica } = pair;
    asAgent(homePlace, 'mkdir own; echo x >own/in; chmod 0 own');
    await sendOut(home.session, replica.session);
    asAgent(replicaPlace, `chmod 700 own; ${script}`);
    const brought = await bringHome(home.session, replica.session);
    const refused = brought?.exchanged.applied.refused ?? [];
    expect(refused.map(({ path }) => path.toString())).toContain('own');
    expect(readFileSync(join(homePlace.root, 'own/in'), 'utf8')).toBe('x\n');
  });

  /** As the agent would find it from the root: only it has the modes of its own files to mind. */
  function expected(root: string, folder = ''): string[] {
    return readdirSync(join(root, folder)).flatMap((name) => {
      const path = join(folder, name);
      const { mode, size } = statSync(join(root, path));
      const isFolder = (mode & 0o40000) !== 0;
      const needs = isFolder ? 0o500 : 0o400;
      if ((mode & needs) !== needs) return isFolder || size > 0 ? [path] : [];
      return isFolder ? expected(root, path) : [];
    });
  }

  /** Of what is below a folder that was closed later, what was known before is still so. */
  function expectToldAsKnown(told: readonly string[], closed: readonly string[]): void {
    expect(told).toEqual(expect.arrayContaining([...closed]));
    const more = told.filter((path) => !closed.includes(path));
    expect(more.filter((path) => !closed.some((folder) => path.startsWith(`${folder}/`)))).toEqual([]);
  }

  function somebodyWrites(path: string, dice: Dice): void {
    const isFolder = existsSync(path) && statSync(path).isDirectory();
    const what = dice.below(4);
    if (what > 1 && existsSync(path))
      chmodSync(path, dice.pick([0, 0o100, 0o300, 0o400, 0o500, 0o600, 0o700]));
    else if (what === 1) rmSync(path, { recursive: true, force: true });
    else if (!isFolder && statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
      writeFileSync(path, `${dice.below(1000)}`);
  }

  test(`12: is named exactly, and what changes there is seen once it opens (CLAWRDEN_SEED=${seed})`, async () => {
    const dice = new Dice(seed);
    const become = ['setpriv', `--reuid=${agent.uid}`, `--regid=${agent.gid}`, '--clear-groups'];
    for (let round = 0; round < (long ? 30 : 4); round++) {
      using place = makePlace(build.under);
      const paths = ['a', 'a/b', 'a/b/c', 'd', 'd/e', 'f'].flatMap((folder) => {
        mkdirSync(join(place.root, folder));
        writeFileSync(join(place.root, folder, 'file'), 'x');
        return [folder, `${folder}/file`, `${folder}/new`];
      });
      toAgent(place.folder);
      await using home = await CarrierProcess.start(build.carrier, place, agent, become);
      for (let step = 0; step < 8; step++) {
        for (let times = 0; times < 3; times++) somebodyWrites(join(place.root, dice.pick(paths)), dice);
        // What root made is the agent's.
        execFileSync('chown', ['-R', `${agent.uid}:${agent.gid}`, place.root]);
        expectToldAsKnown(unreadable(await home.session.settle()), expected(place.root));
      }
      execFileSync('chmod', ['-R', 'u+rwX', place.root]);
      const { tree, skippedCount } = await home.session.settle();
      expect(skippedCount).toBe(0);
      home.session.end();
      expect(await home.exited()).toBe(0);
      execFileSync('rm', ['-r', place.area]);
      await using fresh = await CarrierProcess.start(build.carrier, place, agent, become);
      expect(fresh.first.tree).toBe(tree);
    }
  });

  test(`12: is named by a carrier that starts, with an index and without (CLAWRDEN_SEED=${seed})`, async () => {
    const dice = new Dice(seed);
    const become = ['setpriv', `--reuid=${agent.uid}`, `--regid=${agent.gid}`, '--clear-groups'];
    using place = makePlace(build.under);
    const paths = ['a', 'a/b', 'd', 'd/e'].map((folder) => {
      mkdirSync(join(place.root, folder));
      writeFileSync(join(place.root, folder, 'file'), 'x');
      return folder;
    });
    toAgent(place.folder);
    for (let round = 0; round < 6; round++) {
      await using started = await CarrierProcess.start(build.carrier, place, agent, become);
      const told = unreadable(started.first);
      if (round % 2 === 1) expectToldAsKnown(told, expected(place.root));
      else expect(told).toEqual(expected(place.root).toSorted());
      started.session.end();
      await started.exited();
      chmodSync(join(place.root, dice.pick(paths)), dice.pick([0, 0o300, 0o600, 0o700]));
      if (round % 2 === 1) rmSync(place.area, { recursive: true });
    }
  });
});

test('A-447 P13: a workspace that cannot be opened is not empty: not where the kernel has no openat2, and not later', async () => {
  using place = makePlace();
  using steps = new BetweenSteps(place.folder);
  writeFileSync(join(place.root, 'f'), 'x');
  const start = () => CarrierProcess.start(BetweenSteps.carrier, place, {}, steps.wrapper);
  const whole = (at: number) => steps.set('/', [{ at, what: 'fail', path: '' }]);
  const failed = { code: 'carrier-failed', text: expect.stringContaining('openat2 (Linux 5.6)') };
  whole(ENOSYS);
  await expect(start()).rejects.toMatchObject(failed);
  steps.set('/', []);
  await using carrier = await start();
  expect(carrier.first.entries).toBe(2);
  whole(ENFILE);
  await expect(carrier.session.settle({ all: true })).rejects.toMatchObject(failed);
});
