import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentEngine } from '../execution/agent-engine.ts';
import type { SynchronizedAgent } from './synchronize.ts';

export interface KeepHaltedOptions {
  readonly agents: { readonly all: () => readonly Pick<SynchronizedAgent, 'name' | 'container' | 'halt'>[] };
  readonly engine: Pick<AgentEngine, 'awake'>;
}

const lookEveryMs = 1000;

/**
 * Until `signal` aborts, halts what starts for an agent that is halted, with or without a gateway: one call of the
 * engine each second for all agents, and none while no agent is halted. Never rejects.
 */
export async function keepHalted({ agents, engine }: KeepHaltedOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(lookEveryMs, undefined, { signal }).catch(() => {});
    const kept = agents.all().filter(({ halt }) => halt.isKept());
    if (signal.aborted || kept.length === 0) continue;
    // An engine that is away can halt nothing: once it answers, what failed before is tried again, too.
    const isAwake = await engine.awake().catch(() => undefined);
    if (isAwake === undefined) continue;
    // An agent that waits for the engine must not hold up the others.
    for (const { name: agent, container, halt } of kept) void halt.again(isAwake({ agent, container }));
  }
}
