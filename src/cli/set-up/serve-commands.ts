import { extname, join } from 'node:path';
import { Command } from 'commander';

export function gatewayCommand(): Command {
  return new Command('gateway')
    .description('run the gateway')
    .option('--config <file>', 'gateway.yaml', 'gateway.yaml')
    .action(({ config }: { config: string }) => become('gateway', config));
}

/**
 * Small young generations, of MiB. What has passed through stays until one is full, 64 KiB of output for a few KiB there;
 * and V8 keeps what it grew to in a burst. Smaller ones than these cost the gateway executions a second.
 */
export const servingFlags = {
  gateway: ['--max-semi-space-size=4'],
  'shim/relay': ['--max-semi-space-size=1'],
} as const;

/** Replaces this process by the program, which so keeps the process id that whoever started it knows. */
export function become(program: keyof typeof servingFlags, config: string): void {
  // `.ts` from the sources, `.js` from build/.
  const main = join(import.meta.dirname, '../../..', program, `main${extname(import.meta.filename)}`);
  const { execPath, execArgv } = process;
  process.execve?.(execPath, [execPath, ...execArgv, ...servingFlags[program], main, '--config', config]);
  throw new Error('this machine cannot replace a process by another; run it on Linux');
}
