import type { BenchStack } from './bench-stack.ts';
import { type Figure, quantiles, single } from './figure.ts';
import type { Counts } from './latency.ts';
import { rawEngine } from './raw-engine.ts';

/** A stack without warm ghosts: what a command costs over the bare calls, and how many a second get through. */
export async function coldFigures(bench: BenchStack, { quick }: Counts): Promise<Figure[]> {
  const [first] = bench.lab.hosts;
  if (first === undefined) throw new Error('the lab has no host');
  const raw = await rawEngine(first);
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
  const cold = quantiles(ours);
  return [
    {
      figure: 'cold ghost, pool empty',
      unit: 'ms',
      ...cold,
      yardstick: { name: 'the same Engine calls made directly', p50: quantiles(theirs).p50 },
      ratio: ratios.p50,
      target: '≤ 1.15 × (median of interleaved pairs)',
      met: ratios.p50 <= 1.15,
    },
    await sustained(bench, raw, quick ? 20 : 60),
  ];
}

const lanes = 4;

async function sustained(bench: BenchStack, raw: () => Promise<number>, count: number): Promise<Figure> {
  const each = Math.ceil(count / lanes);
  const laned = (lane: () => Promise<unknown>) => rate(each * lanes, Array.from({ length: lanes }, lane));
  const theirs = await laned(async () => {
    for (let i = 0; i < each; i++) await raw();
  });
  const ours = await laned(() => bench.timeInAgent({ count: each, argv: ['test', '1'] }));
  const ratio = ours / theirs;
  const figure = `sustained fresh ghosts, ${lanes} at once, two engines`;
  const yardstick = { name: 'create-start-wait-remove on one engine', p50: theirs };
  return { figure, unit: '1/s', ...single(ours), yardstick, ratio, target: '≥ 0.90 ×', met: ratio >= 0.9 };
}

async function rate(count: number, running: readonly Promise<unknown>[]): Promise<number> {
  const began = performance.now();
  await Promise.all(running);
  return (count * 1000) / (performance.now() - began);
}
