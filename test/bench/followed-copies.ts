import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../lab/command.ts';
import { type BenchStack, benchImage } from './bench-stack.ts';
import { type Figure, quantiles, single } from './figure.ts';
import { fillFile, mebibyte, milliseconds, overwriteBlock, rsync, tarTar } from './followed-trees.ts';
import { rss } from './throughput.ts';
import { between, traced } from './traces.ts';

const command = { count: 1, argv: ['test', '1'] };

/** The first command on each of two hosts that have never seen the workspace; the faster of them. */
export async function firstCopy(bench: BenchStack, home: string, entries: number): Promise<Figure> {
  const [first = '', second = ''] = bench.stack.hosts;
  const ours: number[] = [];
  for (const drained of [first, second]) {
    await bench.stack.cli(['drain', drained]);
    ours.push(...(await bench.timeInAgent(command)));
    await bench.stack.cli(['undrain', drained]);
  }
  const tars: number[] = [];
  for (const copy of [`${home}.tar1`, `${home}.tar2`])
    tars.push(await milliseconds(() => tarTar(home, copy)));
  const synced = await milliseconds(() => rsync(home, `${home}.synced`));
  const copies = ['tar1', 'tar2', 'synced'].map((name) => `${home}.${name}`);
  await Promise.all(copies.map((copy) => rm(copy, { recursive: true })));
  const [best, tar] = [Math.min(...ours) / 1000, Math.min(...tars) / 1000];
  return {
    figure: `first copy of ${entries} entries, with the command that asked for it (rsync -aH: ${(synced / 1000).toFixed(1)} s)`,
    unit: 's',
    ...single(best),
    yardstick: { name: 'tar | tar on the same disk', p50: tar },
    ratio: tar / best,
    target: '≥ 0.8 × its speed',
    met: tar / best >= 0.8,
  };
}

/** One large file to the replica, then a block of it; and what that costs the gateway's memory. */
export async function largeFile(bench: BenchStack, home: string, mebibytes: number): Promise<Figure[]> {
  const path = join(home, 'large');
  await fillFile(path, mebibytes);
  await using memory = followMemory(bench.stack.gateway.pid);
  const [copied = Number.NaN] = between(await traced(bench, command), 'decided', 'settled');
  const grown = memory.most() / mebibyte;
  const attached = await throughAttached(bench, path);
  const rate = (ms: number) => (mebibytes * mebibyte) / 1e3 / ms;
  const ratio = attached / copied;
  return [
    {
      figure: `a file of ${mebibytes} MiB: read, sent and written before its command`,
      unit: 'MB/s',
      ...single(rate(copied)),
      yardstick: { name: 'docker run -i, cat > /dev/null', p50: rate(attached) },
      ratio,
      target: '≥ 0.7 ×',
      met: ratio >= 0.7,
    },
    {
      figure: 'the gateway meanwhile: memory that it grew by',
      unit: 'MB',
      ...single(grown),
      target: '≤ +8 MB',
      met: grown <= 8,
    },
    await changedBlock(bench, path, mebibytes),
  ];
}

/** A changed block, over a file of which only the mtime changed: that one is read, too. */
async function changedBlock(bench: BenchStack, path: string, mebibytes: number): Promise<Figure> {
  const taken = { block: [] as number[], read: [] as number[] };
  for (let round = 0; round < 5; round++) {
    await overwriteBlock(path, (round * 37) % mebibytes);
    taken.block.push(...between(await traced(bench, command), 'decided', 'settled'));
    await utimes(path, round, round);
    taken.read.push(...between(await traced(bench, command), 'decided', 'settled'));
  }
  const read = quantiles(taken.read);
  const over = quantiles(taken.block.map((ms) => ms - read.p50));
  return {
    figure: 'one MiB of it changed: over the time to read it',
    unit: 'ms',
    ...over,
    yardstick: { name: 'the same with only its mtime changed', p50: read.p50 },
    target: '≤ 60 ms (p50)',
    met: over.p50 <= 60,
  };
}

/** Milliseconds for the same bytes through an engine's attached stream to a container, its start included. */
function throughAttached({ lab }: BenchStack, path: string): Promise<number> {
  const docker = `docker -H unix://${lab.hosts[0]?.socket} run --rm -i --network none --log-driver none`;
  const line = `${docker} ${benchImage} sh -c 'cat > /dev/null' < ${path}`;
  return milliseconds(() => run(['sh', '-c', line], { timeout: 120_000 }));
}

interface Memory extends AsyncDisposable {
  /** Bytes above what it had at first. */
  readonly most: () => number;
}

function followMemory(pid: number): Memory {
  let [first, most] = [Number.NaN, 0];
  const look = async () => {
    const now = await rss(pid);
    if (Number.isNaN(first)) first = now;
    most = Math.max(most, now - first);
  };
  void look();
  const timer = setInterval(() => void look(), 50);
  return {
    most: () => most,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
    },
  };
}
