import { extname, join } from 'node:path';
import { Command } from 'commander';

export function gatewayCommand(): Command {
  return new Command('gateway')
    .description('run the gateway')
    .option('--config <file>', 'gateway.yaml', 'gateway.yaml')
    .action(({ config }: { config: string }) => become('gateway', config));
}

/**
 * For programs that serve: a young generation of 8 MiB. V8 lets it grow to several times that in the burst in which many
 * connect, and keeps it.
 */
export const servingFlags: readonly string[] = ['--max-semi-space-size=8'];

/** Replaces this process by the program, which so keeps the process id that whoever started it knows. */
export function become(program: 'gateway' | 'shim/relay', config: string): void {
  // `.ts` from the sources, `.js` from build/.
  const main = join(import.meta.dirname, '../..', program, `main${extname(import.meta.filename)}`);
  const { execPath, execArgv } = process;
  process.execve?.(execPath, [execPath, ...execArgv, ...servingFlags, main, '--config', config]);
  throw new Error('this machine cannot replace a process by another; run it on Linux');
}
