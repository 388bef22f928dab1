import { Command } from 'commander';
import type { CheckAgentOptions } from './agent/check-agent.ts';
import { runCommand } from './agent/run/run-command.ts';

export function agentCommand(): Command {
  return new Command('agent')
    .description("an agent's container, on the agent host")
    .enablePositionalOptions()
    .addCommand(runCommand())
    .addCommand(shellCommand())
    .addCommand(checkCommand());
}

function shellCommand(): Command {
  return new Command('shell')
    .description("a shell in an agent's container, as its user, with the jail first on PATH")
    .argument('<name>', 'an agent of this host')
    .option('--config <file>', 'relay.yaml', 'relay.yaml')
    .action(async (name: string, options: { config: string }) => {
      const { endAs } = await import('./agent/run/end-as.ts');
      const { shellAgent } = await import('./agent/run/shell-agent.ts');
      await endAs(() => shellAgent(name, options));
    });
}

function checkCommand(): Command {
  return new Command('check')
    .description("prove that an agent's container is closed; runs nothing in it")
    .argument('<name>', 'an agent of this host')
    .option('--config <file>', 'relay.yaml', 'relay.yaml')
    .option('--locked <names>', 'programs that must be locked in its image, like npm,docker')
    .option('--json', 'print JSON')
    .action(async (name: string, options: CheckAgentOptions) => {
      const { checkAgent } = await import('./agent/check-agent.ts');
      await checkAgent(name, options);
    });
}
