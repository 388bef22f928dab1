import { Command } from 'commander';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check everything that can be checked from here, and say how to mend it')
    .option('--config <file>', 'a gateway.yaml to check (default: the one beside the context, or here)')
    .option('--relay <file>', 'a relay.yaml to check (default: the one here)')
    .option('--context <file>', 'where the gateway is and who you are')
    .option('--locked <names>', 'programs that must be locked in the images of agents, like npm,docker')
    .option('--json', 'print JSON')
    .action(async (_options, command: Command) => {
      const { runDoctor } = await import('./doctor/run-doctor.ts');
      await runDoctor(command.optsWithGlobals());
    });
}
