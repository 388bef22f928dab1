import { expect, test } from 'vitest';
import type {
  AgentConfig,
  HostConfig,
  SyncConfig,
  WorkspaceConfig,
} from '../../src/config/gateway-config.ts';
import { ClawrdenError, type ErrorCode } from '../../src/errors.ts';
import type { GhostShape } from '../ports/engine.ts';
import type { Replica, ReplicaHost } from '../ports/replica.ts';
import { shapeKey } from '../scheduler/warm/ghost-shape.ts';
import { ReplicaUnreachable } from './faults.ts';
import { followWorkspaces } from './follow.ts';
import { followingOf, homeOf, keyOf } from './home-of.ts';
import { HomeTurns } from './home-turns.ts';
import { Replicas } from './replicas.ts';

const limits = { entries: 10, bytes: 10, file: 10, depth: 10 };
const sync: SyncConfig = {
  seenBy: { disk: 'shared', zone: 'a' },
  hostBytes: 100,
  carried: { excludes: ['x'], conflicts: 'keep-agent', limits },
};
const agent = (name: string, over: Partial<AgentConfig> = {}): AgentConfig => ({
  ...{ name, relay: 'r', users: [{ uid: 1, gid: 1 }], labels: {}, hosts: {}, cwd: '/app' },
  workspace: { kind: 'bind', source: '/srv', sync },
  ...over,
});
const agents = new Map(
  [
    agent('coder'),
    agent('local', { workspace: { kind: 'bind', source: '/srv' } }),
    agent('anywhere', { workspace: { kind: 'bind', source: '/srv', sync: { ...sync, seenBy: {} } } }),
  ].map((each) => [each.name, each]),
);
const host = (name: string, labels: Record<string, string>) => ({ name, labels }) as HostConfig;
const hosts = new Map(
  [
    host('sees', { disk: 'shared', zone: 'a', more: 'yes' }),
    host('half', { disk: 'shared' }),
    host('other', {}),
  ].map((each) => [each.name, each]),
);
const never = new AbortController().signal;
const home = homeOf('r', { kind: 'bind', source: '/srv' });

function start(opening?: ReplicaHost['openReplica'], agentsNow = () => agents, hostsNow = hosts) {
  const replicas = new Replicas();
  const opened: unknown[] = [];
  const engine = {
    openReplica:
      opening ??
      ((wish: unknown) => {
        opened.push(wish);
        const found = { bytes: 0, entries: 0, at: { epoch: 1n, seq: 1n } };
        return Promise.resolve({
          alive: () => true,
          found,
          folder: '/volumes/ws/base',
        } as unknown as Replica);
      }),
  } as unknown as ReplicaHost;
  for (const name of hosts.keys()) replicas.attach(name, engine);
  const useHome = () => Promise.reject(new Error('no home here'));
  const turns = new HomeTurns({ useHome });
  const parts = { replicas, turns, agents: agentsNow, hosts: () => hostsNow, onNotApplied: () => {} };
  return { workspaces: followWorkspaces(parts), opened, replicas };
}

/** Of a command that looks for a place while its agent is as `known`. */
const shape = (name: string, known = agents.get(name)): GhostShape => {
  const following = followingOf(known);
  return {
    ...{ agent: name, image: { reference: 'i', id: 'i' }, uid: 1, gid: 1, network: 'none' },
    ...{ memoryBytes: 0, cpus: 0, pids: 0 },
    mounts: [{ kind: 'bind', source: '/srv', target: '/app', readOnly: true }],
    ...(following !== undefined && { following }),
  };
};

/** Of a command that looks for a place, with the folder that the agent has. */
function shapeNow(known: ReadonlyMap<string, AgentConfig>): GhostShape {
  const { kind, source } = known.get('coder')!.workspace!;
  return { ...shape('coder', known.get('coder')), mounts: [{ kind, source, target: '/app' }] };
}

test.each([
  ['coder', 'sees', false],
  ['coder', 'half', true],
  ['coder', 'other', true],
  ['local', 'other', false],
  ['anywhere', 'sees', true],
  ['nobody', 'other', false],
])('12: a ghost of %s on host %s has the folder of a replica: %s', async (name, on, isReplica) => {
  const { workspaces, opened } = start();
  expect(workspaces.behindMs(hosts.get(on)!, name) > 0).toBe(isReplica);
  const placed = await workspaces.placed(on, shape(name), never);
  const source = isReplica ? '/volumes/ws/base' : '/srv';
  expect(placed).toEqual({
    ...shape(name),
    mounts: [{ kind: 'bind', source, target: '/app', readOnly: true }],
    ...(isReplica && { inReplica: expect.objectContaining({ host: on, agent: name }) }),
  });
  expect(opened).toEqual(isReplica ? [{ agent: name, home, limits, excludes: ['x'] }] : []);
  expect(workspaces.visit(hosts.get(on)!, name, 'id') !== undefined).toBe(isReplica);
});

test('12: a start that ends while the replica is still looked at says so: another host may have it', async () => {
  const { workspaces } = start(() => new Promise(() => {}));
  const late = (code: ErrorCode) => AbortSignal.abort(new ClawrdenError(code, 'late'));
  const placed = (signal: AbortSignal) => workspaces.placed('other', shape('coder'), signal);
  await expect(placed(late('start-timeout'))).rejects.toBeInstanceOf(ReplicaUnreachable);
  await expect(placed(late('canceled'))).rejects.toMatchObject({ code: 'canceled', message: 'late' });
});

test('12: a ghost without the workspace opens no replica', async () => {
  const { workspaces, opened } = start();
  await workspaces.placed('other', { ...shape('coder'), mounts: [] }, never);
  expect(opened).toEqual([]);
});

const changed = (over: Partial<AgentConfig>) => new Map([['coder', agent('coder', over)]]);
const elsewhere = (workspace: Pick<WorkspaceConfig, 'kind' | 'source'>) =>
  changed({ workspace: { ...workspace, sync } });

test.each([
  ['another folder', elsewhere({ kind: 'bind', source: '/srv/b' })],
  ['a volume', elsewhere({ kind: 'volume', source: '/srv' })],
  ['another relay', changed({ relay: 's' })],
])('A-562 P13: %s has a replica of its own on each host', async (_what, after) => {
  let now = agents;
  const { workspaces, opened, replicas } = start(undefined, () => now);
  await workspaces.placed('other', shape('coder'), never);
  const before = workspaces.visit(hosts.get('other')!, 'coder', 'before')!;
  now = after;
  const next = shape('coder', now.get('coder'));
  const { kind, source } = now.get('coder')!.workspace!;
  await workspaces.placed('other', { ...next, mounts: [{ kind, source, target: '/app' }] }, never);
  expect(opened).toMatchObject([
    { agent: 'coder', home },
    { home: homeOf(now.get('coder')!.relay, { kind, source }) },
  ]);
  workspaces.visit(hosts.get('other')!, 'coder', 'after');
  expect(new Set(replicas.slots.map(keyOf)).size).toBe(2);
  const late = expect.stringContaining('has another workspace in gateway.yaml');
  const refused = { code: 'workspace-unreachable', message: late };
  await expect(before.bringHome(never)).rejects.toMatchObject(refused);
});

test('12: how far a host is behind goes by the home that the agent has now', () => {
  const now = elsewhere({ kind: 'bind', source: '/srv/b' });
  const { workspaces, replicas } = start(undefined, () => now);
  const other = hosts.get('other')!;
  const own = homeOf('r', { kind: 'bind', source: '/srv/b' });
  const next = replicas.slot('other', { agent: 'coder', home: own });
  replicas.met(next, { version: { epoch: 1n, seq: 1n }, bytes: 1, entries: 1 });
  const behind = workspaces.behindMs(other, 'coder');
  // An exchange with the former home ends later.
  const former = replicas.slot('other', { agent: 'coder', home });
  replicas.met(former, { version: { epoch: 2n, seq: 1n }, bytes: 10 ** 9, entries: 10 ** 6 });
  expect(workspaces.behindMs(other, 'coder')).toBe(behind);
});

test('A-562 P9: a plan that waited runs in no other home than it says', async () => {
  const now = elsewhere({ kind: 'bind', source: '/srv/b' });
  const { workspaces, opened } = start(undefined, () => now);
  // It looks for a place now, and mounts what the agent had.
  const waited = shape('coder', now.get('coder'));
  const placed = (async () => workspaces.placed('other', waited, never))();
  await expect(placed).rejects.toMatchObject({ code: 'workspace-unreachable' });
  expect(opened).toEqual([]);
});

const seenBy = (labels: Record<string, string>) =>
  changed({ workspace: { kind: 'bind', source: '/srv', sync: { ...sync, seenBy: labels } } });

test.each([
  ['another folder', elsewhere({ kind: 'bind', source: '/srv/b' })],
  ['another relay', changed({ relay: 's' })],
  ['no workspace that is followed', changed({ workspace: { kind: 'bind', source: '/srv' } })],
  ['other hosts that see it', seenBy({ disk: 'shared' })],
])('A-572 P13: what looked for a place before the agent had %s is of no use then', async (_what, other) => {
  for (const [before, after] of [
    [agents, other],
    [other, agents],
  ] as const) {
    let now = before;
    const { workspaces, opened } = start(undefined, () => now);
    const asked = shape('coder', before.get('coder'));
    now = after;
    const next = shape('coder', after.get('coder'));
    expect(next.mounts).toEqual(asked.mounts);
    // What waits for the one is not claimed for the other.
    expect(shapeKey(next)).not.toBe(shapeKey(asked));
    const placed = (async () => workspaces.placed('other', asked, never))();
    await expect(placed).rejects.toMatchObject({ code: 'workspace-unreachable' });
    expect(opened).toEqual([]);
  }
});

test.each([
  ['another folder', elsewhere({ kind: 'bind', source: '/srv/b' })],
  ['another relay', changed({ relay: 's' })],
  ['no workspace that is followed', changed({ workspace: { kind: 'bind', source: '/srv' } })],
  ['hosts that see it', seenBy({ zone: 'b' })],
])('A-585 P13: what was started before the agent had %s is of no use then', async (_what, other) => {
  const zoned = host('other', { zone: 'b' });
  for (const [before, after] of [
    [agents, other],
    [other, agents],
  ] as const) {
    let now = before;
    const { workspaces } = start(undefined, () => now, new Map([['other', zoned]]));
    const ghost = await workspaces.placed('other', shapeNow(before), never);
    const visit = () => workspaces.visit(zoned, 'coder', 'id', ghost);
    expect(visit).not.toThrow();
    now = after;
    expect(visit).toThrow('is in another place on other');
  }
});

test('A-585 P13: what was started on a host before it had other labels is of no use then', async () => {
  const labelled = new Map([['other', host('other', {})]]);
  const { workspaces } = start(undefined, () => agents, labelled);
  const visit = (ghost: GhostShape) => () => workspaces.visit(labelled.get('other')!, 'coder', 'id', ghost);
  const first = await workspaces.placed('other', shape('coder'), never);
  labelled.set('other', hosts.get('sees')!);
  expect(visit(first)).toThrow('is in another place on sees');
  const second = await workspaces.placed('other', shape('coder'), never);
  expect(visit(second)()).toBeUndefined();
  labelled.set('other', host('other', {}));
  expect(visit(second)).toThrow('is in another place on other');
  expect(visit(first)).not.toThrow();
});

test('A-585 P13: a host that gets another engine has another replica, and work in the former one stays there', async () => {
  const { workspaces, replicas, opened } = start();
  const other = hosts.get('other')!;
  const former = await workspaces.placed('other', shape('coder'), never);
  const [slot] = replicas.slots;
  slot!.commands = 1;
  const ended: string[] = [];
  const openedOn: string[] = [];
  const engineOf = (name: string) =>
    ({
      openReplica: () => {
        openedOn.push(name);
        const found = { bytes: 0, entries: 0, at: { epoch: 1n, seq: 1n } };
        const session = { settle: () => Promise.reject(new Error('busy')), takeLate: () => ({ count: 0 }) };
        const end = async () => void ended.push(name);
        return Promise.resolve({ alive: () => true, found, folder: '/volumes/ws/base', session, end });
      },
    }) as unknown as ReplicaHost;
  slot!.engine = engineOf('former');
  replicas.attach('other', engineOf('next'));
  replicas.detach('other', slot!.engine);
  expect(() => workspaces.visit(other, 'coder', 'id', former)).toThrow('is in another place on other');
  const next = await workspaces.placed('other', shape('coder'), never);
  expect(() => workspaces.visit(other, 'coder', 'id', next)).not.toThrow();
  expect([opened.length, openedOn]).toEqual([1, ['next']]);
  // Its carrier was lost: the next one is where the work is.
  slot!.opening = undefined;
  await replicas.open(slot!, { limits, excludes: ['x'] }, never);
  expect(openedOn).toEqual(['next', 'former']);
  expect(ended).toEqual([]);
  slot!.commands = 0;
  await expect.poll(() => ended, { timeout: 5000 }).toEqual(['former']);
  expect(replicas.slots).not.toContain(slot);
  replicas.detach('other', replicas.engine('other')!);
  await expect.poll(() => ended).toEqual(['former', 'next']);
  expect([...replicas.hosts]).not.toContain('other');
});

test('12: limits, excludes and labels of the agent change no folder', () => {
  const carried = { ...sync.carried, excludes: ['y'], limits: { ...limits, file: 1 } };
  const workspace = { kind: 'bind', source: '/srv', sync: { ...sync, hostBytes: 1, carried } } as const;
  const after = agent('coder', { workspace, labels: { team: 'a' } });
  expect(shape('coder', after)).toEqual(shape('coder'));
});
