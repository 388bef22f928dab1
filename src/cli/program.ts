import { Command } from 'commander';
import { packageVersion } from '../package-version.ts';
import { approveCommand, denyCommand, pendingCommand } from './approval-commands.ts';
import { auditCommands } from './audit-commands.ts';
import { doctorCommand } from './doctor-command.ts';
import { drainCommand, undrainCommand } from './drain-commands.ts';
import { execCommand } from './exec-command.ts';
import { historyCommand, psCommand, showCommand } from './execution-commands.ts';
import { agentsCommand, hostsCommand } from './fleet-commands.ts';
import { killCommand, lockdownCommand, pauseCommand, resumeCommand } from './halt-commands.ts';
import { initCommand } from './init-command.ts';
import { policyCommands } from './policy-commands.ts';
import { relayCommand } from './relay-command.ts';
import { revokeCommand } from './revoke-command.ts';
import { gatewayCommand } from './serve-commands.ts';
import { writeOut } from './streams.ts';
import { tell } from './tell.ts';
import { tokenCommand } from './token-command.ts';
import { watchCommand } from './watch-command.ts';

/** The whole command line. What a command needs is loaded when it runs: this must start quickly. */
export function program(): Command {
  const all = new Command('clawrden')
    .description('let agents run commands that somebody has judged')
    .version(packageVersion())
    .option(
      '--context <file>',
      'where the gateway is and who you are (default: $CLAWRDEN_CONTEXT, or ~/.config/clawrden/context.yaml)',
    )
    .enablePositionalOptions()
    .commandsGroup('Set up:')
    .addCommand(initCommand())
    .addCommand(gatewayCommand())
    .addCommand(tokenCommand())
    .addCommand(relayCommand())
    .addCommand(doctorCommand())
    .commandsGroup('Run and look:')
    .addCommand(execCommand())
    .addCommand(psCommand())
    .addCommand(historyCommand())
    .addCommand(showCommand())
    .commandsGroup('Decide:')
    .addCommand(pendingCommand())
    .addCommand(approveCommand())
    .addCommand(denyCommand())
    .addCommand(watchCommand())
    .addCommand(policyCommands())
    .addCommand(auditCommands())
    .commandsGroup('The fleet:')
    .addCommand(agentsCommand())
    .addCommand(hostsCommand())
    .addCommand(drainCommand())
    .addCommand(undrainCommand())
    .addCommand(pauseCommand())
    .addCommand(resumeCommand())
    .addCommand(killCommand())
    .addCommand(lockdownCommand())
    .addCommand(revokeCommand());
  speakAlike(all);
  return all;
}

/** Commands made elsewhere do not inherit: wrong usage is one line of ours, thrown to main, on every level. */
function speakAlike(command: Command): void {
  command
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut,
      outputError: (text) => tell(usageLine(command, text)),
    });
  for (const each of command.commands) speakAlike(each);
}

function usageLine(command: Command, text: string): string {
  const names: string[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) names.unshift(each.name());
  const [first = ''] = text
    .trim()
    .replace(/^error: /, '')
    .split('\n');
  return `clawrden: usage: ${first.replace(/\.$/, '')}; see ${names.join(' ')} --help`;
}
