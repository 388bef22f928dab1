import { Command } from 'commander';
import { become } from './become.ts';
import { inviteCommand } from './token-command.ts';

export function relayCommand(): Command {
  const enroll = new Command('enroll')
    .description("get this agent host's certificate, and write relay.yaml")
    .requiredOption('--gateway <host:port>', "the gateway's enrolment listener")
    .requiredOption('--token <token>', 'what `clawrden relay invite` printed; -: from standard input')
    .requiredOption('--dir <folder>', 'where the key and the certificate go')
    .option(
      '--trust <file>',
      "PEM file: the authorities of the gateway's server certificate, if they are your own",
    )
    .option('--json', 'print JSON')
    .action(async (options) => {
      const { enrollRelay } = await import('./enroll-relay.ts');
      await enrollRelay(options);
    });
  return new Command('relay')
    .description('run the relay of an agent host')
    .option('--config <file>', 'relay.yaml', 'relay.yaml')
    .action(({ config }: { config: string }) => become('shim/relay', config))
    .addCommand(inviteCommand())
    .addCommand(enroll);
}
