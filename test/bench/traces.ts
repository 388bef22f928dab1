import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mark } from '../../gateway/execution/trace.ts';
import { waitUntil } from '../lab/wait.ts';
import type { BenchStack } from './bench-stack.ts';
import type { Timing } from './timer.ts';

/** Milliseconds since the command's arrival; the gateway logs them with `hopsEnv`. */
export type Times = Readonly<Partial<Record<Mark, number>>>;

export const hopsEnv = { CLAWRDEN_LOG_LEVEL: 'debug' };

/** Of every command in a ghost, in the order of their ends. */
export async function readTraces({ stack }: BenchStack): Promise<Times[]> {
  const text = await readFile(join(stack.dir, 'gateway.log'), 'utf8');
  const lines = text.split('\n').filter((line) => line.includes('"msg":"trace"'));
  return lines.map((line) => (JSON.parse(line) as { ms: Times }).ms);
}

/** The marks of commands that the agent types now. No other commands may run. */
export async function traced(bench: BenchStack, timing: Timing): Promise<Times[]> {
  const before = (await readTraces(bench)).length;
  await bench.timeInAgent(timing);
  // The last line is written behind the command's answer.
  await waitUntil('a trace of each command', 10_000, async () => {
    return (await readTraces(bench)).length >= before + timing.count;
  });
  return (await readTraces(bench)).slice(before);
}

export function between(times: readonly Times[], from: Mark, to: Mark): number[] {
  return times.map((marks) => (marks[to] ?? Number.NaN) - (marks[from] ?? Number.NaN));
}
