import { programFile } from '../../program-file.ts';

/**
 * Small young generations, in MiB (ADR 0038). Output that has passed through stays in memory until one is full: 64
 * KiB of output for a few KiB there. After a burst V8 keeps the size that it grew to. With smaller ones the gateway
 * runs fewer executions a second.
 */
export const servingFlags = {
  gateway: ['--max-semi-space-size=4'],
  'shim/relay': ['--max-semi-space-size=1'],
} as const;

/** Replaces this process by the program, which keeps the process id that the starter of this process knows. */
export function become(program: keyof typeof servingFlags, config: string): void {
  const main = programFile(`${program}/main`);
  const { execPath, execArgv } = process;
  // One word: Node takes some options from anywhere on its command line, and this word may look like one.
  process.execve?.(execPath, [execPath, ...execArgv, ...servingFlags[program], main, `--config=${config}`]);
  throw new Error('this machine cannot replace a process by another; run it on Linux');
}
