import type { Engine, ImageFacts } from '../../gateway/engine.ts';
import { type GhostShape, shapeKey } from '../../gateway/ghost-shape.ts';
import { DockerHost } from '../../gateway/scheduler/docker-host.ts';
import { type Lease, Scheduler } from '../../gateway/scheduler/scheduler.ts';
import { type Figure, quantiles } from './figure.ts';

const hosts = 64;
const slots = 8;
const rounds = 200;
const facts: ImageFacts = { id: 'sha256:1', repoDigests: [], env: [], volumes: [] };
const shape: GhostShape = {
  agent: 'coder',
  image: { reference: 'bench', id: facts.id },
  uid: 1000,
  gid: 1000,
  mounts: [],
  network: 'none',
  memoryBytes: 1024,
  cpus: 1,
  pids: 64,
};

/** Engines that hold the image and start nothing: placement asks them for no more. */
const engine: Engine = {
  startGhost: () => Promise.reject(new Error('placement starts nothing')),
  inspectImage: () => Promise.resolve(facts),
  pullImage: () => Promise.reject(new Error('placement pulls nothing')),
  ping: () => Promise.resolve(),
  removeStrays: () => Promise.resolve(0),
  watch: () => Promise.reject(new Error('placement watches nothing')),
  close: () => {},
};

/** Fills and empties 64 hosts again and again, and counts how unevenly. */
export async function placementFigures(): Promise<Figure[]> {
  const pool = Array.from({ length: hosts }, (_, index) => makeHost(`h${index}`));
  const scheduler = new Scheduler(pool, { running: hosts * slots, queued: 10, queueTimeoutMs: 1000 });
  const request = { shape, key: shapeKey(shape), labels: {}, avoid: new Map() };
  const never = new AbortController().signal;
  const lease = () => scheduler.lease(request, never, () => {});
  (await lease()).release();
  const samples: number[] = [];
  let spread = 0;
  for (let round = 0; round < rounds; round++) {
    const held: Lease[] = [];
    // Half full: where a herd would show.
    for (let i = 0; i < (hosts * slots) / 2; i++) {
      const began = performance.now();
      held.push(await lease());
      samples.push((performance.now() - began) * 1000);
    }
    const counts = pool.map((host) => held.filter((one) => one.host === host).length);
    spread = Math.max(spread, Math.max(...counts) - Math.min(...counts));
    for (const { release } of held) release();
  }
  const { p50, p95, p99 } = quantiles(samples);
  const figure = `placement over ${hosts} simulated engines, most uneven by ${spread} ghosts`;
  return [
    {
      figure,
      unit: 'µs',
      p50,
      p95,
      p99,
      target: '≤ 50 µs p99, fair (uneven by ≤ 1)',
      met: p99 <= 50 && spread <= 1,
    },
  ];
}

function makeHost(name: string): DockerHost {
  const config = { name, engine: 'unix:///none', labels: {}, slots, warm: 0, starts: 3 };
  const host = new DockerHost(config, engine);
  host.health = 'up';
  return host;
}
