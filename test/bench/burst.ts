import type { BenchStack } from './bench-stack.ts';
import { type Figure, quantiles, single } from './figure.ts';
import { rawEngine } from './raw-engine.ts';

const commands = 100;
/** Starts under way at once on two hosts with three starts each. */
const rawAtOnce = 6;

/** A hundred commands at once: the time of each, and the time until the last has ended. */
export async function burstFigures(bench: BenchStack): Promise<Figure[]> {
  await bench.timeInAgent({ count: 100, argv: ['true'] });
  await bench.untilWarm(8);
  const began = performance.now();
  const each = await bench.timeAtOnce(commands, ['test', '1']);
  const whole = (performance.now() - began) / 1000;
  const theirs = await rawBurst(bench);
  return [
    {
      figure: `burst of ${commands} at once, two engines, 8 ghosts waiting: each`,
      unit: 'ms',
      ...quantiles(each),
    },
    {
      figure: 'the same: until the last one has ended',
      unit: 's',
      ...single(whole),
      yardstick: { name: `${commands} create-start-wait-removes, ${rawAtOnce} at once`, p50: theirs },
      ratio: whole / theirs,
    },
  ];
}

async function rawBurst({ lab }: BenchStack): Promise<number> {
  const engines = lab.hosts.map(rawEngine);
  let left = commands;
  const lane = async (_: unknown, index: number) => {
    while (left-- > 0) await engines[index % engines.length]?.();
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: rawAtOnce }, lane));
  return (performance.now() - began) / 1000;
}
