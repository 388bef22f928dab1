import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GhostShape } from '../../gateway/ports/engine.ts';
import { DockerHost } from '../../gateway/scheduler/hosts/docker-host.ts';
import { type Lease, Scheduler } from '../../gateway/scheduler/placement/scheduler.ts';
import { shapeKey } from '../../gateway/scheduler/warm/ghost-shape.ts';
import { type Figure, quantiles } from './figure.ts';
import { type SimulatedEngine, simulatedEngine } from './simulated-engine.ts';

const slots = 8;
const leases = 50_000;
const imageId = `sha256:${'1'.repeat(64)}`;
const shape: GhostShape = {
  agent: 'coder',
  image: { reference: 'bench', id: imageId },
  uid: 1000,
  gid: 1000,
  mounts: [],
  network: 'none',
  memoryBytes: 1024,
  cpus: 1,
  pids: 64,
};

/** The time of one placement on so many engines, and how evenly they fill. */
export async function placementFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const hosts of [1, 8, 64]) figures.push(await placementOn(hosts));
  return figures;
}

async function placementOn(count: number): Promise<Figure> {
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-bench-'));
  await using engines = new AsyncDisposableStack();
  engines.defer(() => rm(dir, { recursive: true }));
  const names = Array.from({ length: count }, (_, index) => `h${index}`);
  // From a machine next door to one on another continent.
  const latencyMs = (index: number) => 1 + (index % 8) * 20;
  const made = await Promise.all(
    names.map(async (name, index) =>
      engines.use(await simulatedEngine(dir, name, latencyMs(index), imageId)),
    ),
  );
  const { samples, spread } = await fillAndEmpty(made.map((one, index) => readyHost(`h${index}`, one)));
  const { p50, p95, p99 } = quantiles(samples);
  return {
    figure: `placement, simulated engines: ${count}, most uneven by ${spread} ghosts`,
    unit: 'µs',
    p50,
    p95,
    p99,
    target: '≤ 50 µs p99, fair (uneven by ≤ 1)',
    met: p99 <= 50 && spread <= 1,
  };
}

function readyHost(name: string, { engine }: SimulatedEngine): DockerHost {
  const config = { name, engine: 'unix:///none', labels: {}, slots, warm: 0, starts: 3 };
  const host = new DockerHost(config, engine);
  host.answered();
  return host;
}

/** Fills half of the hosts, where uneven placement would show, and empties them, again and again. */
async function fillAndEmpty(hosts: DockerHost[]): Promise<{ samples: number[]; spread: number }> {
  const running = hosts.length * slots;
  const scheduler = new Scheduler(hosts, { running, queued: 10, queueTimeoutMs: 1000 });
  const request = { shape, key: shapeKey(shape), labels: {}, avoid: new Map() };
  const never = new AbortController().signal;
  // The first placement asks every engine about the image; the answers are kept.
  (await scheduler.lease(request, never, () => {})).release();
  const samples: number[] = [];
  let spread = 0;
  while (samples.length < leases) {
    const held: Lease[] = [];
    for (let i = 0; i < running / 2; i++) {
      const began = performance.now();
      held.push(await scheduler.lease(request, never, () => {}));
      samples.push((performance.now() - began) * 1000);
    }
    const counts = hosts.map((host) => held.filter((one) => one.host === host).length);
    spread = Math.max(spread, Math.max(...counts) - Math.min(...counts));
    for (const { release } of held) release();
  }
  return { samples, spread };
}
