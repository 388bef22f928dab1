import { Command } from 'commander';
import { policyCheckCommand } from './policy-check.ts';
import { policyExplainCommand } from './policy-explain.ts';
import { policyShowCommand } from './policy-show.ts';
import { policyTestCommand } from './policy-test.ts';

/** `clawrden policy …`. */
export function policyCommands(): Command {
  return new Command('policy')
    .description('look at a policy, before and while it decides')
    .enablePositionalOptions()
    .addCommand(policyCheckCommand())
    .addCommand(policyExplainCommand())
    .addCommand(policyTestCommand())
    .addCommand(policyShowCommand());
}
