import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OfferHome } from '../../gateway/grpc/carry.ts';
import { createHomes, type Homes } from '../../gateway/workspaces/homes.ts';
import { CarrierFrame } from '../../src/carrier-client/carrier-frame.ts';
import type { CarrierState } from '../../src/carrier-client/carrier-state.ts';
import { encodeQuery } from '../../src/carrier-client/exchange-frames.ts';
import { defaultLimits } from '../../src/carrier-client/hello.ts';
import { encodeFrame } from '../../src/wire/frames.ts';
import { run } from '../lab/command.ts';
import {
  carriersOf,
  startRelayProgram,
  startToldHost,
  statusOf,
  type Told,
  type ToldHost,
  told,
} from './told-host.ts';

const patience = { timeout: 20_000 };
const isRoot = process.geteuid?.() === 0;
const never = new AbortController().signal;
const uid = 1000;

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-kept-'));
  await chmod(dir, 0o755);
  await mkdir(rootOf(''), { recursive: true });
});
afterEach(() => rm(dir, { recursive: true }));

const rootOf = (name: string) => join(dir, 'roots', name);

async function makeRoot(name: string): Promise<void> {
  await mkdir(rootOf(name));
  await chown(rootOf(name), uid, uid);
}

const kept = (name: string, source = rootOf(name), excludes: string[] = []): Told => ({
  ...told(name, uid),
  workspace: {
    kind: 'bind',
    source,
    target: '/app',
    excludes,
    conflicts: 'keep-agent',
    limits: defaultLimits,
  },
});

interface Host extends ToldHost {
  readonly homes: Homes;
  readonly settle: (agent?: string) => Promise<CarrierState>;
  readonly carriers: () => readonly number[];
}

interface HostOptions {
  readonly keys?: object;
  readonly offerHome?: OfferHome;
}

async function startHost({ keys, offerHome }: HostOptions, ...agents: readonly Told[]): Promise<Host> {
  let now = agents;
  const placeOf = (agent: string) => {
    const { workspace } = now.find(({ name }) => name === agent) ?? {};
    return workspace && { relay: 'host-7', ...workspace };
  };
  const homes = createHomes({ placeOf });
  const roots = ['volumes', join(dir, 'roots')];
  const options = { offerHome: offerHome ?? homes.offer };
  const host = await startToldHost(dir, agents, options, { 'workspace-roots': roots, ...keys });
  return {
    ...{ ...host, homes },
    settle: (agent = 'coder') => homes.use(agent, (home) => home.settle(), never),
    carriers: () => carriersOf(host.program.pid),
    tell: (...next) => {
      now = next;
      host.tell(...next);
    },
  };
}

/** The one carrier of the relay, another one than `before`. */
async function nextCarrier({ carriers }: Host, before?: number): Promise<number> {
  await expect.poll(() => carriers().length === 1 && carriers()[0] !== before, patience).toBe(true);
  return carriers()[0] ?? 0;
}

describe.skipIf(!isRoot)('a relay that keeps the homes of workspaces', { timeout: 90_000 }, () => {
  beforeEach(() => makeRoot('coder'));

  test('P13: the gateway reaches the home, whose carrier is what the agent is, in a jail, and sees what was written before it asked', async () => {
    await using host = await startHost({}, kept('coder'));
    const before = await host.settle();
    for (let count = 0; count < 50; count++) {
      await writeFile(join(rootOf('coder'), `file-${count}`), Buffer.alloc(100_000, count));
    }
    expect((await host.settle()).entries).toBe(before.entries + 50);
    let bytes = 0;
    const all = (home: Parameters<Parameters<Homes['use']>[1]>[0]) =>
      home.changes({ of: 'all' }, ({ payload }) => {
        bytes += payload.length;
        return undefined;
      });
    await host.homes.use('coder', all, never);
    expect(bytes).toBeGreaterThan(50 * 100_000);
    const carrier = await nextCarrier(host);
    const status = statusOf(carrier);
    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    expect(status).toMatch(/^Gid:\t1000\t1000\t1000\t1000$/m);
    expect(status).toMatch(/^Groups:\t\s*$/m);
    expect(status).toMatch(/^Cap(?:Eff|Prm):\t0{16}$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    const seen = await readFile(`/proc/${carrier}/mountinfo`, 'utf8');
    expect(
      seen
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[4]),
    ).toEqual(['/']);
    expect((await readdir(rootOf(''))).toSorted()).toEqual(['.coder.clawrden', 'coder']);
    expect(host.problem('coder')).not.toMatch(/workspace/);
  });

  test('a lane that the gateway ends, a carrier that is killed and a gateway that starts again: the home comes back', async () => {
    await using host = await startHost({}, kept('coder'));
    await host.settle();
    const first = await nextCarrier(host);
    process.kill(first, 'SIGKILL');
    const second = await nextCarrier(host, first);
    expect((await host.settle()).entries).toBe(1);
    const cut = new AbortController();
    const begun = () => {
      cut.abort(new Error('cut'));
      return new Promise(() => {});
    };
    await expect(host.homes.use('coder', begun, cut.signal)).rejects.toThrow('cut');
    const third = await nextCarrier(host, second);
    await writeFile(join(rootOf('coder'), 'more'), '');
    expect((await host.settle()).entries).toBe(2);
    await host.gateway.restart();
    await nextCarrier(host, third);
    expect((await host.settle()).entries).toBe(2);
    expect(statusOf(third)).toBe('');
  });

  test('P24: a relay that is killed leaves no carrier behind, and the carrier of the next one remembers', async () => {
    const host = await startHost({}, kept('coder'));
    await host.settle();
    const first = await nextCarrier(host);
    await host.program.end('SIGKILL');
    await expect.poll(() => statusOf(first), patience).toBe('');
    await using _ = await startRelayProgram(dir);
    expect(await host.settle()).toMatchObject({ remembered: true });
    await host[Symbol.asyncDispose]();
  });

  test('homes follow what the gateway tells: an agent that comes, one that goes, a workspace and a user that change', async () => {
    await makeRoot('other');
    await using host = await startHost({}, kept('coder'));
    await host.settle();
    const first = await nextCarrier(host);
    host.tell(kept('coder'), kept('other'));
    await expect.poll(() => host.carriers().length, patience).toBe(2);
    expect((await host.settle('other')).entries).toBe(1);
    expect(host.carriers()).toContain(first);
    host.tell(kept('coder'));
    await expect.poll(host.carriers, patience).toEqual([first]);
    await writeFile(join(rootOf('coder'), 'left out'), '');
    host.tell(kept('coder', rootOf('coder'), ['left out']));
    const second = await nextCarrier(host, first);
    expect((await host.settle()).entries).toBe(1);
    await mkdir(rootOf('third'));
    await chown(rootOf('third'), 1001, 1001);
    host.tell({ ...kept('coder', rootOf('third')), users: [{ uid: 1001, gid: 1001 }] });
    const third = await nextCarrier(host, second);
    await expect.poll(() => statusOf(third), patience).toMatch(/^Uid:\t1001\t/m);
    host.tell(told('coder'));
    await expect.poll(host.carriers, patience).toEqual([]);
    expect(statusOf(third)).toBe('');
  });

  test('why a home cannot be kept is told, its agent and the others are served, and it is kept once it can be', async () => {
    const volume = {
      ...kept('volume'),
      workspace: { ...kept('v').workspace!, kind: 'volume', source: 'gone' },
    } as const;
    await using host = await startHost({}, kept('coder', rootOf('later')), kept('late'), volume);
    await expect
      .poll(() => host.problem('coder'), patience)
      .toMatch(/^its workspace is not kept: workspace-missing: there is no such folder$/);
    await expect
      .poll(() => host.problem('volume'), patience)
      .toMatch(/^its workspace is not kept: the agent host's engine does not answer/);
    await expect(host.settle()).rejects.toThrow(/agent coder/);
    await makeRoot('later');
    await makeRoot('late');
    // A look that was under way still says that the folder is not there.
    const entries = (agent?: string) =>
      host.settle(agent).then(
        (settled) => settled.entries,
        () => 0,
      );
    await expect.poll(() => entries('late'), patience).toBe(1);
    await expect.poll(() => entries(), patience).toBe(1);
    await expect.poll(() => host.problem('coder'), patience).not.toMatch(/workspace/);
  });

  test('A-100: an agent that was told with a wrong user is kept once the right one is told', async () => {
    const wrong = { ...kept('coder'), users: [{ uid: 1001, gid: 1001 }] };
    await using host = await startHost({}, wrong);
    const area = join(rootOf(''), '.coder.clawrden');
    const ownerOf = async (path: string) => (await stat(path).catch(() => undefined))?.uid;
    await expect.poll(() => ownerOf(area), patience).toBe(1001);
    host.tell(kept('coder'));
    await expect.poll(() => Promise.all([area, `${area}-1`].map(ownerOf)), patience).toEqual([1000, 1001]);
    expect((await host.settle()).entries).toBe(1);
    await expect.poll(() => host.problem('coder'), patience).not.toMatch(/workspace/);
  });

  test('A-562: a lane says where its carrier is', async () => {
    const offered = Promise.withResolvers<unknown>();
    const offerHome: OfferHome = (_relay, agent, _lane, place) => {
      offered.resolve([agent, place]);
      return undefined;
    };
    await using _ = await startHost({ offerHome }, kept('coder'));
    expect(await offered.promise).toEqual(['coder', { kind: 'bind', source: rootOf('coder') }]);
  });

  test('P22: a gateway that does not read holds the carrier back, and loses nothing', async () => {
    const size = 64 * 2 ** 20;
    for (let count = 0; count < 64; count++) {
      await writeFile(join(rootOf('coder'), `file-${count}`), Buffer.alloc(size / 64, 'x'));
    }
    const offered = Promise.withResolvers<Duplex>();
    const offerHome: OfferHome = (_relay, _agent, lane) => {
      offered.resolve(lane);
      return undefined;
    };
    await using host = await startHost({ offerHome }, kept('coder'));
    const lane = await offered.promise;
    lane.write(encodeFrame(CarrierFrame.changes, encodeQuery({ of: 'all' })));
    const carrier = await nextCarrier(host);
    const written = async () =>
      Number(/^wchar: (\d+)$/m.exec(await readFile(`/proc/${carrier}/io`, 'utf8'))?.[1]);
    await expect.poll(written, patience).toBeGreaterThan(2 ** 20);
    await sleep(1500);
    expect(await written()).toBeLessThan(size / 2);
    let bytes = 0;
    lane.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await expect.poll(() => bytes, patience).toBeGreaterThan(size);
  });
});

describe.skipIf(!isRoot || !process.env['CLAWRDEN_LONG'])('a home that is a file system', () => {
  test('is carried, too, with the area in it; what is mounted over it is another home', {
    timeout: 90_000,
  }, async () => {
    const [mounted, above] = [rootOf('disk/app'), rootOf('disk')];
    await mkdir(mounted, { recursive: true });
    await using mounts = new AsyncDisposableStack();
    const mount = async (path: string) => {
      await run(['mount', '-t', 'tmpfs', '-o', `uid=${uid},gid=${uid},mode=755`, 'none', path]);
      mounts.defer(async () => void (await run(['umount', '--lazy', path])));
    };
    await mount(mounted);
    await using host = await startHost({}, kept('coder', mounted));
    await host.settle();
    expect(await readdir(mounted)).toEqual(['.clawrden']);
    const first = await nextCarrier(host);
    await mount(above);
    const gone = () => host.problem('coder');
    await expect.poll(gone, { timeout: 40_000 }).toMatch(/workspace-missing: there is no such folder$/);
    expect(statusOf(first)).toBe('');
  });
});
