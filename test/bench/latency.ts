import { type BenchStack, benchImage } from './bench-stack.ts';
import { type Figure, quantiles } from './figure.ts';

export interface Counts {
  readonly quick: boolean;
}

/** The way of a command: what the shim, the relay and the gateway add to a decision, a warm ghost, a mirror. */
export async function latencyFigures(bench: BenchStack, { quick }: Counts): Promise<Figure[]> {
  const count = quick ? 10 : 40;
  const docker = ['docker', '-H', `unix://${bench.lab.hosts[0]?.socket}`];
  const forked = quantiles(await bench.timeHere({ count: 200, argv: ['/bin/true'] }));
  await bench.timeInAgent({ count: 20, argv: ['true'] });
  const decision = quantiles(await bench.timeInAgent({ count: 300, argv: ['true'] }));
  await bench.untilWarm(8);
  await bench.timeInAgent({ count: 5, intervalMs: 1500, argv: ['test', '1'] });
  const idle = quantiles(await bench.timeInAgent({ count, intervalMs: 1500, argv: ['test', '1'] }));
  const second = quantiles(
    await bench.timeInAgent({ count: 2 * count, intervalMs: 1000, argv: ['test', '1'] }),
  );
  const mirror = quantiles(await bench.timeInAgent({ count, argv: ['echo', 'x'] }));
  const agentDocker = ['docker', '-H', `unix://${bench.lab.agentHost.socket}`, 'exec', bench.agent.name];
  const exec = quantiles(await bench.timeHere({ count, argv: [...agentDocker, '/bin/true'] }));
  const fresh = ['run', '--rm', '--network', 'none', '--log-driver', 'none', benchImage, 'true'];
  const ran = quantiles(await bench.timeHere({ count: Math.ceil(count / 2), argv: [...docker, ...fresh] }));
  return [
    {
      figure: 'decision only: shim start to exit, passthrough true',
      unit: 'ms',
      ...decision,
      yardstick: { name: 'fork and exec', p50: forked.p50 },
      ratio: decision.p50 / forked.p50,
      target: '≤ 3 / 15 ms (p50 / p99)',
      met: decision.p50 <= 3 && decision.p99 <= 15,
    },
    {
      figure: 'fresh warm ghost, idle pool',
      unit: 'ms',
      ...idle,
      yardstick: { name: 'docker run --rm', p50: ran.p50 },
      ratio: ran.p50 / idle.p50,
      target: '≤ 5 / 12 ms (p50 / p95)',
      met: idle.p50 <= 5 && idle.p95 <= 12,
    },
    {
      figure: 'fresh warm ghost, one a second, pool of 8 that refills',
      unit: 'ms',
      ...second,
      yardstick: { name: 'docker run --rm', p50: ran.p50 },
      ratio: ran.p50 / second.p50,
      target: '≤ 6 / 20 ms (p50 / p95), ≥ 40 × faster',
      met: second.p50 <= 6 && second.p95 <= 20 && ran.p50 / second.p50 >= 40,
    },
    {
      figure: 'the same against a container that is there already',
      unit: 'ms',
      ...second,
      yardstick: { name: 'docker exec', p50: exec.p50 },
      ratio: exec.p50 / second.p50,
      target: '≥ 12 × faster',
      met: exec.p50 / second.p50 >= 12,
    },
    {
      figure: 'mirror',
      unit: 'ms',
      ...mirror,
      yardstick: { name: 'docker exec', p50: exec.p50 },
      ratio: mirror.p50 / exec.p50,
      target: 'p95 ≤ docker exec + 50 ms',
      met: mirror.p95 <= exec.p95 + 50,
    },
  ];
}
