import { duplexPair } from 'node:stream';
import { vi } from 'vitest';
import { InitSession } from '../../../src/init-client/init-session.ts';
import type { AuditRecord } from '../../audit/audit-record.ts';
import type { Ghost } from '../../ports/engine.ts';
import { DockerHost } from '../hosts/docker-host.ts';
import type { LeaseRequest } from '../placement/candidates.ts';
import { Scheduler } from '../placement/scheduler.ts';
import { shapeKey } from '../warm/ghost-shape.ts';
import { type GhostlyEngine, ghostlyEngine } from '../warm/waiting-ghost.fixture.ts';
import { createSessions } from './sessions.ts';

export const never: AbortSignal = new AbortController().signal;
export const [idleMs, maxAgeMs] = [60_000, 600_000];

export function request(agent: string, image = 'node:24'): LeaseRequest {
  const shape = {
    ...{ agent, image: { reference: image, id: `id:${image}` }, uid: 1, gid: 1, mounts: [], network: 'none' },
    ...{ memoryBytes: 10, cpus: 1, pids: 1 },
  };
  return { shape, key: shapeKey(shape), labels: {}, avoid: new Map() };
}

const initOf = () => new InitSession(duplexPair()[0]);

/** Two hosts that start sessions after 100 ms; `used` is what the processes in one use. */
export async function setUp(slots = 8) {
  const used = { ms: 0 };
  const engines = ['a', 'b'].map((name) => {
    const engine: GhostlyEngine = ghostlyEngine(name, 100);
    const { startGhost } = engine;
    engine.startGhost = async (...args) => {
      const more = { execInit: async () => initOf(), processorMs: async () => used.ms };
      return Object.assign(await startGhost(...args), more) as Ghost;
    };
    return engine;
  });
  const hosts = await Promise.all(
    engines.map(async (engine, index) => {
      const config = { name: `h${index}`, engine: `unix:///${index}`, labels: {}, slots, warm: 0, starts: 3 };
      const host = new DockerHost(config, engine);
      host.answered();
      for (let at = 0; at < 6; at++) await host.images.find(at === 0 ? 'node:24' : `image:${at}`);
      return host;
    }),
  );
  const scheduler = new Scheduler(hosts, { running: 100, queued: 10, queueTimeoutMs: 30_000 });
  const records: AuditRecord[] = [];
  const sessions = createSessions({
    ...{ scheduler, startTimeoutMs: 5000, record: (entry) => void records.push(entry) },
    limits: () => ({ idleMs, maxAgeMs }),
  });
  const enter = async (wish: LeaseRequest) => {
    const session = sessions.of(wish, () => {});
    const init = session.enter(never, 1000);
    init.catch(() => {});
    await vi.advanceTimersByTimeAsync(200);
    return { session, init };
  };
  const did = () => engines.flatMap(({ started }) => started.flatMap(({ ghost }) => ghost.did));
  const running = () => hosts.map((host) => host.running).toSorted((a, b) => a - b);
  return { sessions, enter, engines, hosts, used, records, did, running };
}
