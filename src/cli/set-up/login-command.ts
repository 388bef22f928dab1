import { Command } from 'commander';

export interface LoginOptions {
  readonly gateway: string;
  readonly code: string;
  readonly trust?: string;
  readonly json?: boolean;
  readonly context?: string;
}

export function loginCommand(): Command {
  return new Command('login')
    .description('make a key here, get its certificate, and write the context')
    .requiredOption('--gateway <host:port>', "the gateway's enrolment listener")
    .requiredOption('--code <code>', 'what `clawrden users add` or `clawrden tokens certificate` printed')
    .option(
      '--trust <file>',
      "PEM file: the authorities of the gateway's server certificate, if they are your own",
    )
    .option('--json', 'print JSON')
    .option('--context <file>', 'where the context goes')
    .action(async (_options, command: Command) => {
      const { login } = await import('./login.ts');
      await login(command.optsWithGlobals());
    });
}
