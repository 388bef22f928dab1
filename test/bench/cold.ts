import type { BenchStack } from './bench-stack.ts';
import { type Figure, quantiles } from './figure.ts';
import type { Counts } from './latency.ts';
import { rawEngine } from './raw-engine.ts';

/** A stack without warm ghosts: what a command costs more than the bare calls. */
export async function coldFigures(bench: BenchStack, { quick }: Counts): Promise<Figure[]> {
  const [first] = bench.lab.hosts;
  if (first === undefined) throw new Error('the lab has no host');
  const raw = rawEngine(first);
  const pairs = quick ? 10 : 30;
  const ours: number[] = [];
  const theirs: number[] = [];
  await bench.timeInAgent({ count: 3, argv: ['test', '1'] });
  await raw();
  for (let i = 0; i < pairs; i++) {
    ours.push(...(await bench.timeInAgent({ count: 1, argv: ['test', '1'] })));
    theirs.push(await raw());
  }
  const ratios = quantiles(ours.map((ms, index) => ms / (theirs[index] ?? ms)));
  return [
    {
      figure: 'cold ghost, pool empty',
      unit: 'ms',
      ...quantiles(ours),
      yardstick: { name: 'the same Engine calls made directly', p50: quantiles(theirs).p50 },
      ratio: ratios.p50,
      target: '≤ 1.15 × (median of interleaved pairs)',
      met: ratios.p50 <= 1.15,
    },
  ];
}
