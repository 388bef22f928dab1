import { Command } from 'commander';

export function loginCommand(): Command {
  return new Command('login')
    .description('make a key here, get its certificate, and write the context')
    .option(
      '--gateway <host:port>',
      "the gateway's enrolment listener; with --oidc its gRPC listener, if that has another name than --url",
    )
    .option(
      '--code <code>',
      'what `clawrden users add` or `clawrden tokens certificate` printed; -: from standard input',
    )
    .option('--oidc', "sign in by your company's provider, for an hour that each use renews")
    .option('--url <url>', 'with --oidc: http.url of the gateway')
    .option('--device', 'with --oidc: type a code at another device')
    .option('--no-open', 'with --oidc: print the link, and open no browser')
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
