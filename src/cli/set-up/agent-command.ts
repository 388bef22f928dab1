import { Command } from 'commander';
import type { CheckAgentOptions } from './agent/check-agent.ts';

export function agentCommand(): Command {
  return new Command('agent')
    .description("an agent's container, on the agent host")
    .addCommand(checkCommand());
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
