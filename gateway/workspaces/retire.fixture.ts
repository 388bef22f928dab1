import { pino } from 'pino';
import { vi } from 'vitest';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { Replica, ReplicaHost, ReplicaOf } from '../ports/replica.ts';
import { homeOf, keyOf } from './home-of.ts';
import { Replicas } from './replicas.ts';
import { Retirement } from './retire.ts';
import type { Slot } from './slot.ts';

export const hour = 3_600_000;
export const limits = { entries: 10, bytes: 10, file: 10, depth: 10 };
export const never: AbortSignal = new AbortController().signal;

const srv = { kind: 'bind', source: '/srv' } as const;

/** The replica of the home that the agent has, of those below. */
export function of(name: string): ReplicaOf {
  return { agent: name, home: homeOf('r', srv) };
}

export function agent(name: string, hostBytes: number): AgentConfig {
  const carried = { excludes: [], conflicts: 'keep-agent', limits } as const;
  const workspace = { ...srv, sync: { seenBy: {}, hostBytes, carried } } as const;
  return { name, relay: 'r', users: [{ uid: 1, gid: 1 }], labels: {}, hosts: {}, cwd: '/app', workspace };
}

/** An engine that has replicas; what it was asked to remove and to end is in `removed` and `ended`. */
export function engine(bytes: Readonly<Record<string, number>>) {
  const there = new Map<string, ReplicaOf>();
  const [removed, ended]: [string[], string[]] = [[], []];
  const host: ReplicaHost = {
    openReplica: ({ agent: name, home }) => {
      there.set(keyOf({ agent: name, home }), { agent: name, home });
      const found = { bytes: bytes[name] ?? 1, at: { epoch: 1n, seq: 1n } };
      const end = async () => void ended.push(name);
      const session = { settle: () => Promise.resolve(), takeLate: () => ({ count: 0, files: [] }) };
      return Promise.resolve({ alive: () => true, found, end, session } as unknown as Replica);
    },
    replicas: () => Promise.resolve([...there.values()]),
    removeReplica: (gone) => {
      removed.push(gone.agent);
      return Promise.resolve(there.delete(keyOf(gone)));
    },
  };
  return { host, removed, ended };
}

async function evictFrom(replicas: Replicas, slot: Slot): Promise<undefined> {
  await replicas.remove(slot);
}

export async function start(agents: Map<string, AgentConfig>, bytes: Readonly<Record<string, number>>) {
  const replicas = new Replicas();
  const { host, removed, ended } = engine(bytes);
  replicas.attach('build-1', host);
  const slots: Record<string, Slot> = {};
  for (const name of Object.keys(bytes)) {
    const slot = replicas.slot('build-1', of(name));
    await replicas.open(slot, { limits, excludes: [] }, never);
    slot.usedAt = performance.now();
    slots[name] = slot;
    await vi.advanceTimersByTimeAsync(1000);
  }
  const forgotten: string[] = [];
  /** Agents whose home does not answer. */
  const away = new Set<string>();
  const tried: string[] = [];
  const evict = async (slot: Slot) => {
    if (!away.has(slot.agent)) return evictFrom(replicas, slot);
    tried.push(slot.agent);
    await replicas.open(slot, { limits, excludes: [] }, never);
    return 'its home went away';
  };
  const parts = { replicas, evict, agents: () => agents, log: pino({ level: 'silent' }) };
  const retirement = new Retirement({ ...parts, forget: (name) => void forgotten.push(name) });
  return { replicas, retirement, slots, removed, ended, forgotten, away, tried };
}

export function retirementOf(replicas: Replicas, agents = new Map<string, AgentConfig>()): Retirement {
  const evict = (slot: Slot) => evictFrom(replicas, slot);
  const parts = { replicas, evict, agents: () => agents, log: pino({ level: 'silent' }) };
  return new Retirement({ ...parts, forget: () => {} });
}

export const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
