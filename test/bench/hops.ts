import type { BenchStack } from './bench-stack.ts';
import { type Figure, quantiles } from './figure.ts';
import type { Counts } from './latency.ts';
import { readTraces, type Times } from './traces.ts';

const marks = ['received', 'judged', 'decided', 'placed', 'planned', 'started', 'ended'] as const;

const names: Readonly<Record<string, string>> = {
  judged: 'caller, id, policy, plan',
  decided: 'the decision is on the disk',
  placed: 'a host, and a ghost that waits there',
  planned: 'the plan is with the init',
  started: 'the init has entered the directory and forked',
  ended: 'the tool ran; its output and its end are here',
};

/** Where the time of a warm ghost goes: medians between the gateway's own marks. It has to log them: `hopsEnv`. */
export async function hopFigures(bench: BenchStack, { quick }: Counts): Promise<Figure[]> {
  await bench.timeInAgent({ count: 500, argv: ['true'] });
  await bench.untilWarm(8);
  const total = await bench.timeInAgent({ count: quick ? 10 : 40, intervalMs: 1000, argv: ['test', '1'] });
  const traces = (await readTraces(bench)).slice(-total.length);
  const hops = marks.slice(1).map((mark, index) => hop(traces, marks[index] ?? 'received', mark));
  const around = total.map((ms, index) => ms - (traces[index]?.ended ?? 0));
  return [...hops, figureOf('shim, relay and the network on both ways', around)];
}

function hop(traces: readonly Times[], from: keyof Times, to: keyof Times): Figure {
  const spans = traces.map((times) => (times[to] ?? Number.NaN) - (times[from] ?? Number.NaN));
  return figureOf(names[to] ?? to, spans);
}

function figureOf(name: string, samples: readonly number[]): Figure {
  return { figure: `hop of a warm ghost: ${name}`, unit: 'ms', ...quantiles(samples) };
}
