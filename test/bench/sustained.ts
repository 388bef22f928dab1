import type { BenchStack } from './bench-stack.ts';
import { type Figure, quantiles } from './figure.ts';
import type { Counts } from './latency.ts';
import { rawEngine } from './raw-engine.ts';

const lanes = 4;
const rounds = 3;

/** Fresh ghosts a second without warm ones, beside the bare calls on the same engines, in turns. */
export async function sustainedFigures(bench: BenchStack, { quick }: Counts): Promise<Figure[]> {
  const engines = bench.stack.hosts.map((_, index) => rawOn(bench, index));
  const each = quick ? 3 : 40;
  const ours = () => rate(each, () => bench.timeInAgent({ count: each, argv: ['test', '1'] }));
  const theirs = () =>
    rate(each, async (lane) => {
      for (let i = 0; i < each; i++) await engines[lane % engines.length]?.();
    });
  await ours();
  await theirs();
  const taken = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    taken.theirs.push(await theirs());
    taken.ours.push(await ours());
  }
  const [sustained, yardstick] = [quantiles(taken.ours), quantiles(taken.theirs).p50];
  const ratio = sustained.p50 / yardstick;
  return [
    {
      figure: `sustained fresh ghosts, ${lanes} at once, engines: ${engines.length}`,
      unit: '1/s',
      ...sustained,
      yardstick: { name: 'create-start-wait-remove on the same', p50: yardstick },
      ratio,
      target: '≥ 0.90 ×',
      met: ratio >= 0.9,
    },
  ];
}

function rawOn({ lab }: BenchStack, index: number): () => Promise<number> {
  const host = lab.hosts[index];
  if (host === undefined) throw new Error(`the lab has no host ${index}`);
  return rawEngine(host);
}

async function rate(each: number, lane: (index: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  return (each * lanes * 1000) / (performance.now() - began);
}
