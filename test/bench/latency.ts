import { startBareChain } from './bare/chain.ts';
import { type BenchStack, benchImage } from './bench-stack.ts';
import { type Figure, quantiles } from './figure.ts';
import { measureSession, sessionFigures } from './session.ts';

export interface Counts {
  readonly quick: boolean;
}

/** The time that shim, relay and gateway add to a decision, a warm ghost, a mirror. */
export async function latencyFigures(bench: BenchStack, { quick }: Counts): Promise<Figure[]> {
  // A gateway runs for weeks: its first commands, which Node still compiles, are not what its users see.
  await bench.timeInAgent({ count: 500, argv: ['true'] });
  for (let i = 0; i < (quick ? 1 : 20); i++) await bench.timeAtOnce(10, ['test', '1']);
  const taken = emptySamples();
  await using bare = await startBareChain(bench);
  await bench.timeInAgent({ count: 500, argv: ['true'] }, bare.socket);
  await bench.timeInAgent({ count: quick ? 5 : 40, intervalMs: 250, argv: ['test', '1'] }, bare.socket);
  // In turns, so that other work of the machine affects all of them.
  for (let round = 0; round < (quick ? 1 : 4); round++) {
    await measureRound(bench, taken);
    await measureBare(bench, bare.socket, taken);
  }
  return [...ghostFigures(taken), ...otherFigures(taken), ...sessionFigures(taken), ...bareFigures(taken)];
}

const kinds = [
  'forked',
  'forkedAtTimes',
  'decision',
  'decisionAtTimes',
  'idle',
  'second',
  'mirror',
  'exec',
  'ran',
  'session',
  'sessionExec',
  'sessionFresh',
  'bareDecision',
  'bareAtTimes',
  'bareIdle',
  'bareSecond',
] as const;
type Samples = Record<(typeof kinds)[number], number[]>;

function emptySamples(): Samples {
  return Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Samples;
}

async function measureRound(bench: BenchStack, taken: Samples): Promise<void> {
  const host = ['docker', '-H', `unix://${bench.lab.hosts[0]?.socket}`];
  const agentHost = ['docker', '-H', `unix://${bench.lab.agentHost.socket}`];
  const run = ['run', '--rm', '--network', 'none', '--log-driver', 'none', benchImage, 'true'];
  taken.forked.push(...(await bench.timeHere({ count: 50, argv: ['/bin/true'] })));
  taken.decision.push(...(await bench.timeInAgent({ count: 75, argv: ['true'] })));
  const atTimes = { count: 20, intervalMs: 100 };
  taken.forkedAtTimes.push(...(await bench.timeHere({ ...atTimes, argv: ['/bin/true'] })));
  taken.decisionAtTimes.push(...(await bench.timeInAgent({ ...atTimes, argv: ['true'] })));
  await bench.untilWarm(8);
  taken.idle.push(...(await bench.timeInAgent({ count: 10, intervalMs: 1500, argv: ['test', '1'] })));
  taken.second.push(...(await bench.timeInAgent({ count: 20, intervalMs: 1000, argv: ['test', '1'] })));
  taken.mirror.push(...(await bench.timeInAgent({ count: 10, argv: ['echo', 'x'] })));
  const exec = [...agentHost, 'exec', bench.agent.name, '/bin/true'];
  taken.exec.push(...(await bench.timeHere({ count: 10, argv: exec })));
  taken.ran.push(...(await bench.timeHere({ count: 5, argv: [...host, ...run] })));
  await measureSession(bench, taken);
}

/** The same commands through the bare chain, as often and at the same pace. */
async function measureBare(bench: BenchStack, socket: string, taken: Samples): Promise<void> {
  taken.bareDecision.push(...(await bench.timeInAgent({ count: 75, argv: ['true'] }, socket)));
  const atTimes = { count: 20, intervalMs: 100, argv: ['true'] };
  taken.bareAtTimes.push(...(await bench.timeInAgent(atTimes, socket)));
  const ghost = ['test', '1'];
  taken.bareIdle.push(...(await bench.timeInAgent({ count: 10, intervalMs: 1500, argv: ghost }, socket)));
  taken.bareSecond.push(...(await bench.timeInAgent({ count: 20, intervalMs: 1000, argv: ghost }, socket)));
}

function bareFigures(taken: Samples): Figure[] {
  return [
    besideBare('decision only, one after another', taken.decision, taken.bareDecision),
    besideBare('decision only, ten a second', taken.decisionAtTimes, taken.bareAtTimes),
    besideBare('fresh warm ghost, idle pool', taken.idle, taken.bareIdle),
    besideBare('fresh warm ghost, one a second', taken.second, taken.bareSecond),
  ];
}

const mostOverBare = 1.3;

function besideBare(name: string, ours: readonly number[], bare: readonly number[]): Figure {
  const yardstick = { name: 'bare chain', p50: quantiles(bare).p50 };
  const ratio = quantiles(ours).p50 / yardstick.p50;
  return {
    figure: `${name}: beside the same hops and libraries with nothing in them`,
    unit: 'ms',
    ...quantiles(ours),
    yardstick,
    ratio,
    target: `≤ ${mostOverBare} × (median)`,
    met: ratio <= mostOverBare,
  };
}

function ghostFigures(taken: Samples): Figure[] {
  const [idle, second] = [quantiles(taken.idle), quantiles(taken.second)];
  const [ran, exec] = [quantiles(taken.ran).p50, quantiles(taken.exec).p50];
  return [
    {
      figure: 'fresh warm ghost, idle pool',
      unit: 'ms',
      ...idle,
      yardstick: { name: 'docker run --rm', p50: ran },
      ratio: ran / idle.p50,
      target: '≤ 5 / 12 ms (p50 / p95)',
      met: idle.p50 <= 5 && idle.p95 <= 12,
    },
    {
      figure: 'fresh warm ghost, one a second, pool of 8 that refills',
      unit: 'ms',
      ...second,
      yardstick: { name: 'docker run --rm', p50: ran },
      ratio: ran / second.p50,
      target: '≤ 6 / 20 ms (p50 / p95), ≥ 40 × faster',
      met: second.p50 <= 6 && second.p95 <= 20 && ran / second.p50 >= 40,
    },
    {
      figure: 'the same against a container that is there already',
      unit: 'ms',
      ...second,
      yardstick: { name: 'docker exec', p50: exec },
      ratio: exec / second.p50,
      target: '≥ 12 × faster',
      met: exec / second.p50 >= 12,
    },
  ];
}

function otherFigures(taken: Samples): Figure[] {
  const [decision, mirror] = [quantiles(taken.decision), quantiles(taken.mirror)];
  const [atTimes, forkedAtTimes] = [quantiles(taken.decisionAtTimes), quantiles(taken.forkedAtTimes)];
  const [forked, exec] = [quantiles(taken.forked), quantiles(taken.exec)];
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
      figure: 'the same ten times a second: what an idle machine adds to either',
      unit: 'ms',
      ...atTimes,
      yardstick: { name: 'fork and exec', p50: forkedAtTimes.p50 },
      ratio: atTimes.p50 / forkedAtTimes.p50,
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
