import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { attempt } from '../lab/command.ts';
import { type BenchStack, benchImage } from './bench-stack.ts';
import { type Figure, quantiles, single } from './figure.ts';
import type { Counts } from './latency.ts';

const mebibyte = 1024 * 1024;

/** Standard output through the whole chain, beside Docker's own client with the same file. */
export async function throughputFigures(bench: BenchStack, { quick }: Counts): Promise<Figure[]> {
  const size = (quick ? 256 : 1024) * mebibyte;
  const workspace = bench.stack.workspaceOf('coder');
  const file = await open(join(workspace, 'big'), 'w');
  await file.truncate(size);
  await file.close();
  const docker = ['docker', '-H', `unix://${bench.lab.hosts[0]?.socket}`, 'run', '--rm', '--network', 'none'];
  const mount = ['--volume', `${workspace}:/app`];
  const client = (...options: string[]) =>
    piped([...docker, ...options, ...mount, benchImage, 'cat', '/app/big']);
  const rates = { ours: [] as number[], none: [] as number[], default: [] as number[] };
  for (let round = 0; round < (quick ? 2 : 4); round++) {
    rates.ours.push(
      await megabytes(size, () =>
        bench.agent.exec(['sh', '-c', 'cat /app/big | wc -c'], { timeout: 120_000 }),
      ),
    );
    rates.none.push(
      await megabytes(size, () => attempt(client('--log-driver', 'none'), { timeout: 120_000 })),
    );
    if (round < 2) rates.default.push(await megabytes(size, () => attempt(client(), { timeout: 300_000 })));
  }
  return [
    throughput(rates.ours, rates.none, 'docker run --log-driver none', 0.6),
    throughput(rates.ours, rates.default, 'docker run, default log driver', 3),
    await stalled(bench, quick ? 4 : 20),
  ];
}

/** A reader that reads nothing for a while: how much memory the two hops use meanwhile. */
async function stalled(bench: BenchStack, seconds: number): Promise<Figure> {
  const before = await memory(bench);
  const grown = { relay: 0, gateway: 0 };
  const script = `cat /app/big | (sleep ${seconds}; wc -c)`;
  const reading = bench.agent.exec(['sh', '-c', script], { timeout: 120_000 });
  const note = async () => {
    const now = await memory(bench);
    grown.relay = Math.max(grown.relay, now.relay - before.relay);
    grown.gateway = Math.max(grown.gateway, now.gateway - before.gateway);
  };
  const watch = setInterval(() => void note(), 250);
  const { code, stderr } = await reading.finally(() => clearInterval(watch));
  if (code !== 0) throw new Error(`the stalled reader: exit ${code}: ${stderr}`);
  const most = Math.max(grown.relay, grown.gateway) / mebibyte;
  const figure = `a reader that stalls for ${seconds} s: memory of relay or gateway, whichever grew more`;
  return { figure, unit: 'MB', ...single(most), target: '≤ +32 MB each', met: most <= 32 };
}

function throughput(ours: readonly number[], theirs: readonly number[], name: string, least: number): Figure {
  const p50 = quantiles(theirs).p50;
  const mine = quantiles(ours);
  const ratio = mine.p50 / p50;
  return {
    figure: 'stdout through the whole chain, one stream',
    unit: 'MB/s',
    ...mine,
    yardstick: { name, p50 },
    ratio,
    target: `≥ ${least} ×`,
    met: ratio >= least,
  };
}

function piped(argv: readonly string[]): string[] {
  return ['sh', '-c', '"$@" | wc -c', 'sh', ...argv];
}

async function megabytes(
  size: number,
  run: () => Promise<{ code: number | null; stdout: string; stderr: string }>,
): Promise<number> {
  const began = performance.now();
  const { code, stdout, stderr } = await run();
  if (code !== 0 || Number(stdout) !== size)
    throw new Error(`${stdout.trim()} bytes of ${size}, exit ${code}: ${stderr}`);
  return size / 1e6 / ((performance.now() - began) / 1000);
}

async function memory({ stack }: BenchStack): Promise<{ relay: number; gateway: number }> {
  return { relay: await rss(stack.relay.pid), gateway: await rss(stack.gateway.pid) };
}

export async function rss(pid: number): Promise<number> {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
