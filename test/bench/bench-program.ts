import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { servingFlags } from '../../src/cli/set-up/become.ts';

/** A gateway of this folder as a process of its own. */
export interface BenchProgram<Told> {
  readonly pid: number;
  /** Its first line. */
  readonly told: Told;
  /** Resolves with its last line. */
  readonly end: () => Promise<string>;
}

/** With the flags of a real gateway. The program ends when its stdin does. */
export async function startBenchProgram<Told>(
  file: string,
  ...args: readonly number[]
): Promise<BenchProgram<Told>> {
  const argv = [...servingFlags.gateway, join(import.meta.dirname, file), ...args.map(String)];
  const program: ChildProcess = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  if (program.stdout === null) throw new Error('a program without stdout');
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) throw new Error(`${file} ended before it listened`);
  return {
    pid: program.pid ?? 0,
    told: JSON.parse(first.value) as Told,
    end: async () => {
      program.stdin?.end();
      const [{ value = '' }] = await Promise.all([lines.next(), once(program, 'exit')]);
      return value;
    },
  };
}
