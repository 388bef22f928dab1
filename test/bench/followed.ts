import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../lab/command.ts';
import type { BenchStack } from './bench-stack.ts';
import { type Figure, quantiles, single } from './figure.ts';
import type { Counts } from './latency.ts';

/** A workspace that no Docker host sees: what its copies cost, beside rsync and tar on the same disk. */
export async function followedFigures(bench: BenchStack, { quick }: Counts): Promise<Figure[]> {
  const files = quick ? 2_000 : 20_000;
  const home = bench.stack.workspaceOf('coder');
  await fill(join(home, 'tree'), files);
  const copy = await firstCopy(bench, home);
  const rounds = quick ? 1 : 4;
  const taken = {
    unchanged: [] as number[],
    shared: [] as number[],
    before: [] as number[],
    after: [] as number[],
  };
  const noop: number[] = [];
  await bench.timeInAgent({ count: 50, argv: ['test', '1'] });
  for (let round = 0; round < rounds; round++) {
    await bench.untilWarm(8);
    taken.unchanged.push(...(await bench.timeInAgent({ count: 20, intervalMs: 1000, argv: ['test', '1'] })));
    taken.before.push(...(await bench.timeInAgent({ count: 15, intervalMs: 1000, argv: changing })));
    taken.after.push(...(await bench.timeInAgent({ count: 15, intervalMs: 1000, argv: touching })));
    taken.shared.push(...(await bench.timeInOther({ count: 20, intervalMs: 1000, argv: ['test', '1'] })));
    noop.push(await seconds(() => sync(home, `${home}.noop`)).then((s) => s * 1000));
  }
  return [...figures(files, taken, noop), copy, await installed(bench, home, quick ? 180 : 1800)];
}

/** The agent writes a file, and types a command. */
const changing = ['sh', '-c', 'echo $$ > /app/one; exec /clawrden/bin/test 1'];
/** The command writes one. */
const touching = ['touch', '/app/two'];

/** 30 files of 4 KiB a folder. */
async function fill(root: string, count: number): Promise<void> {
  for (let folder = 0; folder < count / 30; folder++) {
    const path = join(root, `d${folder % 40}`, `e${folder}`);
    await mkdir(path, { recursive: true });
    await Promise.all(
      Array.from({ length: 29 }, (_, n) => writeFile(join(path, `f${n}`), String(n).padEnd(4096, 'x'))),
    );
  }
  await run(['chown', '-R', '1000:1000', root]);
}

const sync = (from: string, to: string) => run(['rsync', '-aH', `${from}/`, `${to}/`], { timeout: 300_000 });

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** The first command on a host that has never seen the workspace. */
async function firstCopy({ stack, timeInAgent }: BenchStack, home: string): Promise<Figure> {
  const [first = '', second = ''] = stack.hosts;
  await stack.cli(['drain', first]);
  const [ours = 0] = await timeInAgent({ count: 1, argv: ['test', '1'] });
  await stack.cli(['undrain', first]);
  await stack.cli(['drain', second]);
  const [again = 0] = await timeInAgent({ count: 1, argv: ['test', '1'] });
  await stack.cli(['undrain', second]);
  const tar = await seconds(() =>
    run(['sh', '-c', `mkdir -p ${home}.tar && tar -C ${home} -cf - . | tar -C ${home}.tar -xf -`], {
      timeout: 300_000,
    }),
  );
  await sync(home, `${home}.noop`);
  const best = Math.min(ours, again) / 1000;
  return {
    figure: 'first copy of the tree, with the command that asked for it',
    unit: 's',
    ...single(best),
    yardstick: { name: 'tar | tar on the same disk', p50: tar },
    ratio: tar / best,
    target: '≥ 0.8 × its speed',
    met: tar / best >= 0.8,
  };
}

/** A tool makes a tree like an `npm install` does. */
async function installed({ timeInAgent }: BenchStack, home: string, count: number): Promise<Figure> {
  await fill(join(home, 'packages'), count);
  await timeInAgent({ count: 1, argv: ['test', '1'] });
  const times: number[] = [];
  const yard: number[] = [];
  for (let round = 0; round < 5; round++) {
    times.push(
      ...(await timeInAgent({ count: 1, argv: ['cp', '-a', '/app/packages', `/app/made-${round}`] })),
    );
    const [from, to] = [join(home, 'packages'), `${home}.made-${round}`];
    yard.push(1000 * (await seconds(() => sync(from, to))));
    await rm(to, { recursive: true });
  }
  const [ours, theirs] = [quantiles(times), quantiles(yard)];
  return {
    figure: `a tool that writes ${count} files: until they are at home and it has ended`,
    unit: 'ms',
    ...ours,
    yardstick: { name: 'rsync -aH of the same', p50: theirs.p50 },
    ratio: ours.p50 / theirs.p50,
  };
}

type Taken = Readonly<Record<'unchanged' | 'shared' | 'before' | 'after', readonly number[]>>;

function figures(files: number, taken: Taken, noop: readonly number[]): Figure[] {
  const shared = quantiles(taken.shared);
  const added = quantiles(taken.unchanged.map((ms) => ms - shared.p50));
  const rsync = quantiles(noop).p50;
  const over = (ours: readonly number[]) => quantiles(ours.map((ms) => ms - shared.p50));
  return [
    {
      figure: `${files} files, none changed: added to a warm ghost, one a second`,
      unit: 'ms',
      ...added,
      yardstick: { name: 'rsync -aH that has nothing to do', p50: rsync },
      ratio: rsync / added.p50,
      target: '≤ 3 / 8 ms (p50 / p95), ≥ 20 × faster',
      met: added.p50 <= 3 && added.p95 <= 8 && rsync / added.p50 >= 20,
    },
    {
      figure: 'one file changed before the command: added, its shell included',
      unit: 'ms',
      ...over(taken.before),
      target: '≤ 5 ms (p50)',
      met: over(taken.before).p50 <= 5,
    },
    {
      figure: 'one file written by the command: added',
      unit: 'ms',
      ...over(taken.after),
      target: '≤ 8 ms (p50)',
      met: over(taken.after).p50 <= 8,
    },
  ];
}
