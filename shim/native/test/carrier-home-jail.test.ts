import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { CarrierProcess, carrierBuilds, fileSystems, helloOf, type Place } from './carrier-process.ts';
import {
  agent,
  buildJailProbes,
  isRoot,
  jailProbes,
  lockSome,
  makeVolume,
  pidOf,
  statusOf,
  toAgent,
} from './jailed-place.ts';
import { Dice, disturb } from './random-tree.ts';
import { UserNamespace } from './user-namespace.ts';

const long = process.env['CLAWRDEN_LONG'] === '1';
const seed = Number(process.env['CLAWRDEN_SEED'] ?? 1);

const inode = (path: string): number => statSync(path).ino;

beforeAll(buildJailProbes, 120_000);

describe.runIf(isRoot).each(carrierBuilds)(
  'a carrier at home that root starts ($name)',
  ({ name, carrier }) => {
    test('A-96: has the agent’s uid and gid, and nothing else that root had', async () => {
      using place = makeVolume();
      await using home = await CarrierProcess.start(carrier, place, agent);
      expect(home.first.unconfined).toBe(false);
      expect(statusOf(pidOf(home))).toMatchObject({
        ...{ Uid: '1000\t1000\t1000\t1000', Gid: '1000\t1000\t1000\t1000', Groups: '' },
        ...{ CapInh: '0000000000000000', CapPrm: '0000000000000000', CapEff: '0000000000000000' },
        ...{ CapBnd: '0000000000000000', CapAmb: '0000000000000000', NoNewPrivs: '1', Seccomp: '2' },
      });
      // A process that others of its uid may look into belongs to them here.
      expect(statSync(`/proc/${pidOf(home)}/mem`).uid).toBe(0);
    });

    test('keeps for an agent that is root the four capabilities over files', async () => {
      using place = makeVolume();
      await using home = await CarrierProcess.start(carrier, place, { uid: 0, gid: 0 });
      const only = '000000000000001b';
      expect(statusOf(pidOf(home))).toMatchObject({
        CapPrm: only,
        CapEff: only,
        CapBnd: only,
        CapInh: /^0+$/,
      });
    });

    test('sees the workspace, below folders that only root enters, and no other mount', async () => {
      using place = makeVolume();
      await using home = await CarrierProcess.start(carrier, place, agent);
      const proc = `/proc/${pidOf(home)}`;
      const mounts = readFileSync(`${proc}/mountinfo`, 'utf8').trim().split('\n');
      expect(mounts.map((line) => line.split(' ')[4])).toEqual(['/']);
      expect(mounts[0]).toMatch(/\/base \/ \S*nosuid,nodev,noexec/);
      expect(readdirSync(`${proc}/root`).sort()).toEqual(['magic', 'mine', 'out', 'users']);
      expect(inode(`${proc}/root/..`)).toBe(inode(place.root));
      expect(home.first).toMatchObject({ entries: 5, lost: false });
      const read = await home.session.read({ of: 'tree', path: Buffer.from('mine') });
      expect(read.toString()).toBe('mine\n');
    });

    test('A-101: has its watches as root: others of the agent’s uid cannot take them', async () => {
      using users = await UserNamespace.make();
      users.run('sh', '-c', 'echo 1 > /proc/sys/user/max_inotify_instances');
      const ofOther = [...onlyAgent, process.execPath, '-e', takesOne];
      expect(await users.start(ofOther)).toBe('taken\n');
      using place = makeVolume();
      // There are no file handles in a namespace of users, which an area beside the workspace needs.
      const inside = { ...place, area: join(place.root, '.clawrden') };
      await using home = await CarrierProcess.start(carrier, inside, agent, users.wrapper);
      expect(home.first).toMatchObject({ scans: false, unconfined: false });
      // Positive control: one that is the agent from its start on finds none.
      using other = makeVolume(fileSystems[0], 0o755);
      mkdirSync(other.area, { mode: 0o700 });
      toAgent(other.area);
      await using poor = await CarrierProcess.start(carrier, other, agent, [...users.wrapper, ...onlyAgent]);
      expect(poor.first.scans).toBe(true);
    });

    test('A-96: has no descriptor from which a path leads out, not even for root', async () => {
      using place = makeVolume();
      await using home = await CarrierProcess.start(carrier, place, agent);
      // Positive control: a carrier that is not root has such a descriptor.
      using other = makeVolume(fileSystems[0], 0o755);
      mkdirSync(other.area, { mode: 0o700 });
      toAgent(other.area);
      const args = ['--reuid', '1000', '--regid', '1000', '--clear-groups'];
      await using open = new CarrierProcess(carrier, ['setpriv', ...args]);
      expect((await open.session.ready(helloOf(other, agent))).unconfined).toBe(true);
      const leading = (of: CarrierProcess) =>
        readdirSync(`/proc/${pidOf(of)}/fd`)
          .map((fd) => `/proc/${pidOf(of)}/fd/${fd}`)
          .concat(`/proc/${pidOf(of)}/cwd`)
          .filter((path) => existsSync(`${path}/../beside/secret`) || existsSync(`${path}/../../etc`));
      expect(leading(home)).toEqual([]);
      expect(leading(open).length).toBeGreaterThanOrEqual(2);
    });

    test('A-96: reaches nothing else from within: no sibling, no host, no /proc, no mount, no other user', () => {
      using place = makeVolume(fileSystems[0], 0o755);
      const host = ['/etc/passwd', 'users', '/proc/1/root', '/proc/self/root', 'magic', '/dev/null'];
      const beside = [
        '../beside/secret',
        'out/secret',
        join(place.folder, 'beside/secret'),
        '../../../..',
        '..',
      ];
      const args = [place.root, place.area, '1000', ...host, ...beside];
      const jailed = spawnSync(jailProbes[name], ['jailed', ...args])
        .stdout.toString()
        .trim()
        .split('\n');
      const root = inode(place.root);
      const itself = ['../../../..', '..'].flatMap((path) => [
        `root ${path} ${root}`,
        `root-path ${path} ${root}`,
      ]);
      expect(jailed.slice(0, -2)).toEqual(itself);
      expect(jailed.slice(-2)).toEqual([expect.stringMatching(/^made f \d+$/), 'moved f']);
      // Positive control: the same ways without a jail.
      const open = spawnSync(jailProbes[name], ['open', ...args]).stdout.toString();
      expect(open).toMatch(/^root users \d+\n/m);
      expect(open).toMatch(/^area \.\.\/beside\/secret \d+\n/m);
      expect(open).toMatch(/^area-rename \.\.\/beside\/secret\n/m);
    });

    test('A-96: is killed by a system call that is not in its list', () => {
      const lines = execFileSync(jailProbes[name], ['calls']).toString().trim().split('\n');
      const ends = (ended: string) => lines.filter((line) => line.endsWith(`: ${ended}`));
      expect(ends('goes on').map((line) => line.slice(0, 2))).toEqual(Array(5).fill('+ '));
      expect(ends('killed').length).toBe(lines.length - 5);
      expect(lines.length).toBeGreaterThan(35);
    });
  },
);

test.runIf(isRoot)('what a sanitizer says comes out of the jail', async () => {
  using place = makeVolume();
  await using home = await CarrierProcess.start(carrierBuilds[1].carrier, place, agent);
  home.child.kill('SIGSEGV');
  expect(await home.exited()).toBe(99);
  await expect.poll(() => home.diagnostic).toMatch(/SUMMARY: AddressSanitizer: SEGV/);
  home.diagnostic = '';
});

describe.runIf(isRoot).each(carrierBuilds)('in a jail ($name)', (build) => {
  const rounds = long ? 60 : build.name === 'static' ? 10 : 4;

  test(
    `any changes on either side come to the agent and to its replica (${rounds} rounds, CLAWRDEN_SEED=${seed})`,
    async () => {
      const under = fileSystems[build.name === 'static' ? 1 : 0];
      const toAgentFirst = ({ folder }: Place) => {
        toAgent(folder);
        return [];
      };
      await using pair = await Pair.make(build.carrier, under, agent, toAgentFirst);
      const { home, replica, homePlace, replicaPlace } = pair;
      chownSync(homePlace.folder, 0, 0);
      chmodSync(homePlace.folder, 0o710);
      const dice = new Dice(seed);
      for (let round = 0; round < rounds; round++) {
        disturb(homePlace.root, dice, 1 + dice.below(25));
        toAgent(homePlace.root);
        lockSome(homePlace.root, dice);
        await sendOut(home.session, replica.session);
        expect([round, 'out', pair.difference]).toEqual([round, 'out', '']);
        disturb(replicaPlace.root, dice, 1 + dice.below(25));
        toAgent(replicaPlace.root);
        lockSome(replicaPlace.root, dice);
        const back = await bringHome(home.session, replica.session);
        expect(back?.exchanged?.applied.refused ?? []).toEqual([]);
        expect([round, 'home', pair.difference]).toEqual([round, 'home', '']);
        expect((await home.session.settle()).tree).toBe((await replica.session.settle()).tree);
      }
    },
    long ? 900_000 : 60_000,
  );
});

const onlyAgent = ['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups'];

const takesOne = `
  require('node:fs').watch('/');
  console.log('taken');
  setTimeout(() => {}, 60_000);`;
