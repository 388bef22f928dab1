import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '../lab/names.ts';
import { type Figure, quantiles } from './figure.ts';
import type { Counts } from './latency.ts';

const run = promisify(execFile);

/** How fast the init hashes scripts: with this processor's own instructions, if it has them, and without. */
export async function hashingFigures({ quick }: Counts): Promise<Figure[]> {
  await run('make', ['-s', '-C', join(checkout, 'shim/native'), 'sha256-check']);
  const rows = [
    hashingFigure('portable', 150, quick ? 3 : 11),
    hashingFigure('hardware', 400, quick ? 3 : 11),
  ];
  return (await Promise.all(rows)).filter((figure) => figure !== undefined);
}

async function hashingFigure(way: string, target: number, count: number): Promise<Figure | undefined> {
  const samples: number[] = [];
  while (samples.length < count) {
    const speed = await megabytesPerSecond(way);
    if (speed === undefined) return undefined;
    samples.push(speed);
  }
  const { p50, p95, p99 } = quantiles(samples);
  const figure = `SHA-256 of the init, ${way}`;
  return { figure, unit: 'MB/s', p50, p95, p99, target: `≥ ${target} MB/s`, met: p50 >= target };
}

const noHardware = 3;

/** Of processor time. Undefined if this processor has no instructions for it. */
export async function megabytesPerSecond(way: string): Promise<number | undefined> {
  const check = join(checkout, 'build/bench/sha256-check');
  try {
    return Number((await run(check, [way, 'speed'])).stdout);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === noHardware) return undefined;
    throw error;
  }
}
