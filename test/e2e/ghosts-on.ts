import { randomBytes } from 'node:crypto';
import type { EngineAddress } from '../../gateway/docker/engine/connect.ts';
import { openNativeFiles } from '../../gateway/docker/init/native-files.ts';
import { createOpenEngine } from '../../gateway/docker/open-engine.ts';
import type { Engine, Ghost } from '../../gateway/ports/engine.ts';
import type { ReplicaHost } from '../../gateway/ports/replica.ts';
import { shapeOf } from '../../gateway/scheduler/warm/ghost-shape.ts';
import { toClawrdenError } from '../../src/errors.ts';
import type { InitEnd } from '../../src/init-client/init-end.ts';
import { initPlanOf } from '../../src/init-client/init-plan.ts';
import type { Plan } from '../../src/plan.ts';
import { busyboxImage } from '../lab/images/catalogue.ts';
import type { LabHost } from '../lab/lab-host.ts';

/**
 * A gateway's engine, over TLS unless told otherwise, with its own gateway id and a view of what it left on the host.
 */
export interface GhostsOn {
  readonly engine: Engine & ReplicaHost;
  readonly gatewayId: string;
  /** Messages that the engine logged. */
  readonly warnings: string[];
  /** A plan of the lab's busybox, or of `reference`. */
  readonly plan: (argv: readonly string[], over?: Partial<Plan>, reference?: string) => Promise<Plan>;
  readonly start: (plan: Plan, signal?: AbortSignal, executionId?: string) => Promise<Ghost>;
  /** Starts a ghost, runs the plan in it, and destroys it. */
  readonly run: (plan: Plan) => Promise<Ran>;
  /** Ids of this gateway's containers in any state. */
  readonly containers: () => Promise<string[]>;
}

export interface Ran {
  readonly end: InitEnd;
  readonly output: string;
}

export function ghostsOn(
  host: LabHost,
  gatewayId = randomBytes(4).toString('hex'),
  address: Omit<EngineAddress, 'name'> = { engine: host.url, tls: host.tls },
): GhostsOn {
  const warnings: string[] = [];
  const log = { warn: (_fields: unknown, message: string) => void warnings.push(message) };
  const engine = createOpenEngine(gatewayId, openNativeFiles(), log)({ name: host.name, ...address });
  const start: GhostsOn['start'] = (plan, signal = AbortSignal.timeout(20_000), executionId) => {
    const purpose = { pooled: false, timeoutMs: plan.timeoutMs, ...(executionId && { executionId }) };
    return engine.startGhost(shapeOf(plan, undefined), purpose, signal);
  };
  return {
    engine,
    gatewayId,
    warnings,
    start,
    plan: async (argv, over = {}, reference = busyboxImage) => ({
      ...basePlan,
      argv,
      image: { reference, id: (await engine.inspectImage(reference))?.id ?? `sha256:${'0'.repeat(64)}` },
      ...over,
    }),
    run: async (plan) => {
      const ghost = await start(plan);
      try {
        return await runIn(ghost, plan);
      } finally {
        await ghost.destroy();
      }
    },
    containers: async () => {
      const label = `label=clawrden.gateway=${gatewayId}`;
      const { stdout } = await host.docker(['ps', '--all', '--no-trunc', '--quiet', '--filter', label]);
      return stdout.split('\n').filter(Boolean);
    },
  };
}

export async function runIn(ghost: Ghost, plan: Plan, onStarted: () => void = () => {}): Promise<Ran> {
  let output = '';
  const end = await ghost.session.run({
    plan: initPlanOf(plan, { stdio: ['null', 'pipe', 'pipe'], ignored: [] }),
    send: (item) => {
      if (item.type === 'stdout' || item.type === 'stderr') output += Buffer.from(item.bytes).toString();
      return undefined;
    },
    onStarted,
  });
  return { end, output };
}

/** Runs the plan until its tool has started, and leaves it running. The returned promise resolves with its end. */
export async function started(ghost: Ghost, plan: Plan): Promise<{ readonly ended: Promise<Ran> }> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const ended = runIn(ghost, plan, resolve);
  ended.catch(reject);
  await promise;
  return { ended };
}

/** The code with which `work` fails, `none` if it succeeds. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => toClawrdenError(error).code,
  );
}

const basePlan = {
  agent: 'coder',
  env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/home/ghost'],
  cwd: '/home/ghost',
  workspace: '',
  uid: 1000,
  gid: 1000,
  umask: 0o22,
  strategy: 'ghost',
  mounts: [],
  network: 'none',
  limits: { memoryBytes: 256 * 1024 * 1024, cpus: 1, pids: 64, outputBytes: 0, fileBytes: 0 },
  stdin: 'none',
  timeoutMs: 60_000,
  idleTimeoutMs: 0,
  policyHash: '',
} as const satisfies Omit<Plan, 'argv' | 'image'>;
