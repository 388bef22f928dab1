import { pino } from 'pino';
import { openNativeFiles } from '../../gateway/docker/init/native-files.ts';
import { createOpenEngine } from '../../gateway/docker/open-engine.ts';
import type { Engine, GhostShape } from '../../gateway/ports/engine.ts';
import { initPlanOf } from '../../src/init-client/init-plan.ts';
import type { InitPlan } from '../../src/init-client/plan-encoding.ts';
import { nativeFile } from '../../src/native-file.ts';
import type { LabHost } from '../lab/lab-host.ts';

export const busybox = 'clawrden-lab/busybox:latest';

/** A lab host's engine as the gateway uses it. */
export function engineOf(host: LabHost, gatewayId: string): Engine {
  const log = pino({ level: 'silent' });
  const open = createOpenEngine(gatewayId, openNativeFiles(), log);
  return open({ name: host.name, engine: host.url, tls: host.tls });
}

export function initFile(): string {
  return nativeFile('clawrden-init');
}

export async function busyboxShape(engine: Engine, change: Partial<GhostShape> = {}): Promise<GhostShape> {
  const facts = await engine.inspectImage(busybox);
  if (facts === undefined) throw new Error('the lab has no busybox');
  return {
    agent: 'coder',
    image: { reference: busybox, id: facts.id },
    uid: 1000,
    gid: 1000,
    mounts: [],
    network: 'none',
    memoryBytes: 64 * 1024 ** 2,
    cpus: 1,
    pids: 64,
    ...change,
  };
}

/** A plan that runs `argv` in /tmp with only a PATH. */
export function planFor(argv: readonly string[]): InitPlan {
  const limits = { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 };
  const ids = { agent: 'coder', uid: 1000, gid: 1000, umask: 0o22 };
  const rest = { timeoutMs: 0, idleTimeoutMs: 0, policyHash: '', stdin: 'none', strategy: 'ghost' } as const;
  const place = { cwd: '/tmp', workspace: '', mounts: [], network: 'none' };
  const plan = { argv, env: ['PATH=/bin'], limits, ...ids, ...rest, ...place };
  return initPlanOf(plan, { stdio: ['null', 'pipe', 'pipe'], ignored: [] });
}
