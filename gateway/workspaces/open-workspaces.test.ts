import { duplexPair } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { CarrierFrame } from '../../src/carrier-client/carrier-frame.ts';
import { text, u8, u16, u32, u64 } from '../../src/carrier-client/payload.ts';
import type { AgentConfig, HostConfig } from '../../src/config/gateway-config.ts';
import { encodeFrame } from '../../src/wire/frames.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import type { Engine, GhostShape } from '../ports/engine.ts';
import type { Replica, ReplicaHost } from '../ports/replica.ts';
import { DockerHost } from '../scheduler/hosts/docker-host.ts';
import { createFleet } from '../scheduler/hosts/fleet.ts';
import { createLateExits } from '../scheduler/hosts/late-exits.ts';
import { Scheduler } from '../scheduler/placement/scheduler.ts';
import { shapeKey } from '../scheduler/warm/ghost-shape.ts';
import { ghostlyEngine } from '../scheduler/warm/waiting-ghost.fixture.ts';
import { createWarmer } from '../scheduler/warm/warmer.ts';
import type { KeptChanges } from '../store/kept-changes.ts';
import { followingOf } from './home-of.ts';
import { openWorkspaces } from './open-workspaces.ts';

const log = pino({ level: 'silent' });
const limits = { entries: 10, bytes: 10, file: 10, depth: 10 };
const sync = {
  seenBy: {},
  hostBytes: 1,
  carried: { excludes: [], conflicts: 'keep-agent', limits },
} as const;
const bind = { kind: 'bind', source: '/srv' } as const;
const agents = new Map([
  ['follows', { name: 'follows', relay: 'r', workspace: { ...bind, sync } } as unknown as AgentConfig],
  ['plain', { name: 'plain', workspace: bind } as unknown as AgentConfig],
]);
const [config, purpose] = [
  { name: 'one', engine: 'unix:///none', labels: {}, slots: 8, warm: 8, starts: 1 },
  { pooled: false, timeoutMs: 0 },
] satisfies [HostConfig, object];

function shapeOf(agent: string): GhostShape {
  const ids = { uid: 1, gid: 1, memoryBytes: 1, cpus: 1, pids: 1, network: 'none' };
  const mounts = [{ ...bind, target: '/app', readonly: false }];
  const following = followingOf(agents.get(agent));
  return {
    ...ids,
    agent,
    mounts,
    ...(following !== undefined && { following }),
    image: { reference: 'node:24', id: 'id:node:24' },
  };
}

function newWorkspaces() {
  const recorded: AuditRecord[] = [];
  const kept = { add: async () => '' } as unknown as KeptChanges;
  const workspaces = openWorkspaces({
    ...{ agents: () => agents, hosts: () => new Map([['one', config]]), log },
    ...{ incidents: { tell: () => {} }, record: (entry) => recorded.push(entry), kept },
  });
  return { workspaces, recorded };
}

/** A host that starts one ghost at a time, and a carrier of a replica there that has to look at a large tree first. */
async function start() {
  const opening = Promise.withResolvers<Replica>();
  const engine = ghostlyEngine('one');
  const replicas: ReplicaHost = {
    openReplica: () => opening.promise,
    replicas: async () => [],
    removeReplica: async () => false,
  };
  const { workspaces, recorded } = newWorkspaces();
  const placing: Engine = workspaces.onHost('one', { ...engine, ...replicas });
  placing.joined?.();
  const host = new DockerHost(config, placing);
  host.answered();
  await host.images.find('node:24');
  const folder = '/volumes/ws/base';
  const opened = () =>
    opening.resolve({ folder, alive: () => true, found: {}, end: async () => {} } as unknown as Replica);
  return { host, opened, started: engine.started, workspaces, recorded };
}

test('A-337 P20: an agent whose replica is still looked at takes no start from others on the host', async () => {
  const { host, opened, started, workspaces } = await start();
  const signal = AbortSignal.timeout(20_000);
  const late = host.start(shapeOf('follows'), purpose, signal);
  await host.start(shapeOf('plain'), purpose, signal);
  expect(started.map(({ shape }) => shape.agent)).toEqual(['plain']);
  opened();
  await late;
  expect(started.at(-1)?.shape).toMatchObject({ agent: 'follows', mounts: [{ source: '/volumes/ws/base' }] });
  await workspaces.close();
});

test('A-337 P20: nor do ghosts that are started ahead for it, of which one at a time waits for the replica', async () => {
  const { host, opened, started, workspaces } = await start();
  const warmer = createWarmer(
    new Scheduler([host], { running: 9, queued: 9, queueTimeoutMs: 1000 }),
    20_000,
    log,
  );
  const wish = (agent: string) => {
    const shape = shapeOf(agent);
    return { shape, key: shapeKey(shape), labels: {}, timeoutMs: 0, size: 2 };
  };
  warmer.wish([wish('follows'), wish('plain')]);
  const agentsStarted = () => started.map(({ shape }) => shape.agent).toSorted();
  await expect.poll(agentsStarted, { timeout: 5000 }).toEqual(['plain', 'plain']);
  opened();
  await expect.poll(agentsStarted, { timeout: 5000 }).toEqual(['follows', 'follows', 'plain', 'plain']);
  warmer.close();
  await workspaces.close();
});

test('A-394: a gateway that stops waits for no replica that is still looked at', async () => {
  const { host, workspaces } = await start();
  const gone = new AbortController();
  const late = host.start(shapeOf('follows'), purpose, gone.signal);
  await workspaces.close();
  gone.abort(new Error('gone'));
  await expect(late).rejects.toThrow('gone');
});

test('A-452 P24: after a change of the hosts that was refused, replicas are made by the engines that were there before', async () => {
  const { workspaces } = newWorkspaces();
  const asked: string[] = [];
  const hosts: DockerHost[] = [];
  const scheduler = new Scheduler(hosts, { running: 9, queued: 9, queueTimeoutMs: 1000 });
  const warmer = createWarmer(scheduler, 20_000, log);
  const fleet = createFleet({
    ...{ hosts, scheduler, warmer, drained: new Set<string>(), images: () => [], onImages: () => {}, log },
    lateExits: createLateExits(
      () => {},
      () => true,
    ),
    openEngine: ({ name, engine }) => {
      if (name === 'wrong') throw new Error('its key cannot be read');
      const openReplica: ReplicaHost['openReplica'] = async () => {
        asked.push(engine);
        const made = { folder: '/base', alive: () => true, found: {}, end: async () => {} };
        return made as unknown as Replica;
      };
      const replicas = { openReplica, replicas: async () => [], removeReplica: async () => false };
      return workspaces.onHost(name, { ...ghostlyEngine(name), ...replicas });
    },
  });
  fleet.apply([config]);
  const moved = { ...config, engine: 'unix:///refused' };
  expect(() => fleet.prepare([moved, { ...config, name: 'wrong' }])).toThrow('its key');
  fleet.prepare([moved])[Symbol.dispose]();
  await hosts[0]?.engine.placed?.(shapeOf('follows'), AbortSignal.timeout(20_000));
  expect(asked).toEqual([config.engine]);
  warmer.close();
  await Promise.all([fleet.close(), workspaces.close()]);
});

/** What a carrier says that is ready: of so many files that were written too late it kept and names these. */
function readyWith(late: number, kept: readonly string[] = []): Buffer {
  const [tree, nothing] = [Buffer.alloc(32), [u64(0), u64(0), u64(0), u64(0)]];
  const named = kept.flatMap((path, number) => [u64(1), u32(number), text(Buffer.from(path))]);
  const lists = [u16(0), u32(0), u16(0), u32(late), u16(kept.length), ...named];
  const state = [u8(1), u8(0), u64(1), u64(1), tree, ...nothing, u64(0), ...lists, u32(0), u64(0)];
  return encodeFrame(CarrierFrame.ready, Buffer.concat(state));
}

test.each([
  ['A-404 P13: all of it', 2, [], 'what could not be kept is lost'],
  ['A-482 P13: some of it', 3, ['f'], 'those with a name (1) are kept, not applied'],
  ['nothing of it', 1, ['f'], 'they are kept, not applied'],
] as const)(
  'what was written too late at home is told; if %s could not be kept, without a name',
  async (...row) => {
    const [, count, named, what] = row;
    const { workspaces, recorded } = await start();
    const [ours, carrier] = duplexPair();
    carrier.write(readyWith(count, named));
    expect(workspaces.homes.offer('r', 'follows', ours)).toBeUndefined();
    await workspaces.homes.use('follows', async () => {}, AbortSignal.timeout(20_000));
    const said = `agent follows: ${count} changes came when no command waited for them; ${what}`;
    expect(recorded).toEqual([{ type: 'incident', incident: 'workspace-late', caller: '', text: said }]);
    await workspaces.close();
  },
);
