import { Command } from 'commander';
import { policyCheckCommand } from './policy-check.ts';
import { policyExplainCommand } from './policy-explain.ts';

/** `clawrden policy …`. */
export function policyCommands(): Command {
  return new Command('policy')
    .description('look at a policy before it decides')
    .enablePositionalOptions()
    .addCommand(policyCheckCommand())
    .addCommand(policyExplainCommand());
}
