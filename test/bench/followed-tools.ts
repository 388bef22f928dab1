import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../lab/command.ts';
import type { BenchStack } from './bench-stack.ts';
import { type Figure, quantiles, single } from './figure.ts';
import { fill, milliseconds, rsync } from './followed-trees.ts';
import { between, traced } from './traces.ts';

/** A tool makes a tree like an `npm install` does: from its end until all of it is at home. */
export async function installed(bench: BenchStack, home: string, entries: number): Promise<Figure> {
  const packages = join(home, 'packages');
  await fill(packages, entries);
  await bench.timeInAgent({ count: 1, argv: ['test', '1'] });
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round++) {
    const made = { count: 1, argv: ['cp', '-a', '/app/packages', `/app/made-${round}`] };
    ours.push(...between(await traced(bench, made), 'ended', 'home'));
    theirs.push(await milliseconds(() => rsync(packages, `${home}.made`)));
    await rm(`${home}.made`, { recursive: true });
  }
  const [mine, yard] = [quantiles(ours), quantiles(theirs)];
  return {
    figure: `a tool wrote ${entries} entries: from its end until they are at home`,
    unit: 'ms',
    ...mine,
    yardstick: { name: 'rsync -aH of the same', p50: yard.p50 },
    ratio: mine.p50 / yard.p50,
    target: '≤ 300 ms (p50), never slower',
    met: mine.p50 <= 300 && mine.p50 <= yard.p50,
  };
}

/** A tool removes a tree: from its end until it is gone at home. */
export async function removed(
  bench: BenchStack,
  home: string,
  folder: string,
  entries: number,
): Promise<Figure> {
  await rsync(join(home, folder), `${home}.removed`);
  const [ours = Number.NaN] = between(
    await traced(bench, { count: 1, argv: ['rm', '-rf', `/app/${folder}`] }),
    'ended',
    'home',
  );
  const theirs = await milliseconds(() => run(['rm', '-rf', `${home}.removed`], { timeout: 300_000 }));
  return {
    figure: `a tool removed ${entries} entries: from its end until they are gone at home`,
    unit: 'ms',
    ...single(ours),
    yardstick: { name: 'rm -rf of the same', p50: theirs },
    ratio: ours / theirs,
    target: '≤ 100 ms',
    met: ours <= 100,
  };
}
