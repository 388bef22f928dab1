import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchStack } from './bench-stack.ts';
import { type Figure, quantiles } from './figure.ts';
import { firstCopy, largeFile } from './followed-copies.ts';
import { indexMemory } from './followed-index.ts';
import { installed, removed } from './followed-tools.ts';
import { fill, milliseconds, rsync } from './followed-trees.ts';
import type { Counts } from './latency.ts';

/** A workspace that no Docker host sees: what its copies cost, beside rsync and tar on the same disk. */
export async function followedFigures(bench: BenchStack, { quick }: Counts): Promise<Figure[]> {
  const home = bench.stack.workspaceOf('coder');
  const sized = (entries: number) => entries / (quick ? 10 : 1);
  for (const [folder, entries] of [
    ['tree', 20_000],
    ['gone', 20_000],
    ['rest', 10_000],
  ] as const)
    await fill(join(home, folder), sized(entries));
  const copy = await firstCopy(bench, home, sized(50_000));
  const gone = await removed(bench, home, 'gone', sized(20_000));
  await rm(join(home, 'rest'), { recursive: true });
  await bench.timeInAgent({ count: quick ? 10 : 50, argv: ['test', '1'] });
  const smaller = await inTurns(bench, home, quick);
  const tools = await installed(bench, home, sized(1800));
  const large = await largeFile(bench, home, sized(1000));
  await rm(join(home, 'large'));
  await fill(join(home, 'more'), sized(70_000));
  await bench.timeInAgent({ count: 1, argv: ['test', '1'] });
  const larger = await inTurns(bench, home, quick);
  return [
    unchanged(`${sized(20_000)} entries`, smaller),
    unchanged(`${sized(100_000)} entries`, larger),
    ...changed(smaller),
    ...[tools, gone, copy, ...large],
    await indexMemory(sized(200_000)),
  ];
}

const kinds = ['unchanged', 'shared', 'before', 'after', 'noop'] as const;
type Taken = Record<(typeof kinds)[number], number[]>;

/** The agent writes a file, and types a command. */
const changing = ['sh', '-c', 'echo $$ > /app/one; exec /clawrden/bin/test 1'];
/** The command writes one. */
const touching = ['touch', '/app/two'];

/** In turns, so that other work of the machine affects all of them. */
async function inTurns(bench: BenchStack, home: string, quick: boolean): Promise<Taken> {
  const taken: Taken = { unchanged: [], shared: [], before: [], after: [], noop: [] };
  await rsync(home, `${home}.noop`);
  for (let round = 0; round < (quick ? 1 : 2); round++) {
    await bench.untilWarm(8);
    const count = quick ? 6 : 25;
    const of = (argv: readonly string[]) => ({ count, intervalMs: 1000, argv });
    taken.unchanged.push(...(await bench.timeInAgent(of(['test', '1']))));
    taken.before.push(...(await bench.timeInAgent(of(changing))));
    taken.after.push(...(await bench.timeInAgent(of(touching))));
    taken.shared.push(...(await bench.timeInOther(of(['test', '1']))));
    await rsync(home, `${home}.noop`);
    for (let again = 0; again < (quick ? 1 : 3); again++)
      taken.noop.push(await milliseconds(() => rsync(home, `${home}.noop`)));
  }
  await rm(`${home}.noop`, { recursive: true });
  return taken;
}

function unchanged(name: string, { unchanged: followed, shared, noop }: Taken): Figure {
  const mounted = quantiles(shared).p50;
  const added = quantiles(followed.map((ms) => ms - mounted));
  const yard = quantiles(noop).p50;
  return {
    figure: `${name}, none changed: added to a warm ghost, one a second`,
    unit: 'ms',
    ...added,
    yardstick: { name: 'rsync -aH that has nothing to do', p50: yard },
    ratio: yard / added.p50,
    target: '≤ 3 / 8 ms (p50 / p95), ≥ 20 × faster',
    met: added.p50 <= 3 && added.p95 <= 8 && yard / added.p50 >= 20,
  };
}

function changed({ before, after, shared }: Taken): Figure[] {
  const mounted = quantiles(shared).p50;
  const over = (figure: string, ours: readonly number[], most: number): Figure => {
    const added = quantiles(ours.map((ms) => ms - mounted));
    return { figure, unit: 'ms', ...added, target: `≤ ${most} ms (p50)`, met: added.p50 <= most };
  };
  return [
    over('one file changed before the command: added, its shell included', before, 5),
    over('one file written by the command: added', after, 8),
  ];
}
