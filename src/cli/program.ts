import { Command } from 'commander';
import { packageVersion } from '../package-version.ts';
import { approveCommand, denyCommand, pendingCommand } from './decide/approval-commands.ts';
import { auditCommands } from './decide/audit-commands.ts';
import { dashboardCommand } from './decide/dashboard-command.ts';
import { grantsCommand } from './decide/grants-command.ts';
import { policyCommands } from './decide/policy-commands.ts';
import { toolsCommands } from './decide/tools-commands.ts';
import { watchCommand } from './decide/watch-command.ts';
import { agentsCommand } from './fleet/agents-command.ts';
import { drainCommand, undrainCommand } from './fleet/drain-commands.ts';
import { egressCommands } from './fleet/egress-command.ts';
import { hostsCommand } from './fleet/fleet-commands.ts';
import { killCommand, lockdownCommand, pauseCommand, resumeCommand } from './fleet/halt-commands.ts';
import { relaysCommand } from './fleet/relays-command.ts';
import { revokeCommand } from './fleet/revoke-command.ts';
import { sessionCommands } from './fleet/session-commands.ts';
import { statusCommand } from './fleet/status-command.ts';
import { workspaceCommands } from './fleet/workspace-commands.ts';
import { writeOut } from './print/streams.ts';
import { tell } from './print/tell.ts';
import { execCommand } from './run/exec-command.ts';
import { historyCommand, psCommand, showCommand } from './run/execution-commands.ts';
import { logsCommand, replayCommand } from './run/output-commands.ts';
import { agentCommand } from './set-up/agent-command.ts';
import { caCommand } from './set-up/ca-command.ts';
import { completionCommand } from './set-up/completion-command.ts';
import { doctorCommand } from './set-up/doctor-command.ts';
import { gatewayCommand } from './set-up/gateway-command.ts';
import { initCommand } from './set-up/init-command.ts';
import { keysCommand } from './set-up/keys-command.ts';
import { loginCommand } from './set-up/login-command.ts';
import { relayCommand } from './set-up/relay-command.ts';
import { sandboxCommand } from './set-up/sandbox-command.ts';
import { secretsCommand } from './set-up/secrets-command.ts';
import { tokenCommand } from './set-up/token-command.ts';
import { tokensCommand } from './set-up/tokens-command.ts';
import { usersCommand } from './set-up/users-command.ts';

/** The whole command line. Each command loads what it needs when it runs, because the program must start quickly. */
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
    .addCommand(relayCommand())
    .addCommand(agentCommand())
    .addCommand(sandboxCommand())
    .addCommand(tokenCommand())
    .addCommand(usersCommand())
    .addCommand(tokensCommand())
    .addCommand(loginCommand())
    .addCommand(keysCommand())
    .addCommand(caCommand())
    .addCommand(secretsCommand())
    .addCommand(doctorCommand())
    .addCommand(completionCommand())
    .commandsGroup('Run and look:')
    .addCommand(execCommand())
    .addCommand(psCommand())
    .addCommand(historyCommand())
    .addCommand(showCommand())
    .addCommand(logsCommand())
    .addCommand(replayCommand())
    .commandsGroup('Decide:')
    .addCommand(pendingCommand())
    .addCommand(approveCommand())
    .addCommand(denyCommand())
    .addCommand(watchCommand())
    .addCommand(grantsCommand())
    .addCommand(dashboardCommand())
    .addCommand(policyCommands())
    .addCommand(toolsCommands())
    .addCommand(auditCommands())
    .commandsGroup('The fleet:')
    .addCommand(statusCommand())
    .addCommand(agentsCommand())
    .addCommand(hostsCommand())
    .addCommand(relaysCommand())
    .addCommand(workspaceCommands())
    .addCommand(sessionCommands())
    .addCommand(egressCommands())
    .addCommand(drainCommand())
    .addCommand(undrainCommand())
    .addCommand(pauseCommand())
    .addCommand(resumeCommand())
    .addCommand(killCommand())
    .addCommand(lockdownCommand())
    .addCommand(revokeCommand());
  speakAlike(all);
  takeValuesOnce(all);
  return all;
}

/**
 * commander's sub-commands do not inherit this. On every level, wrong usage becomes one line of ours, thrown to main.
 */
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

/** Of two values one would be ignored, also of a value before and one behind a sub-command: which gateway was meant? */
function takeValuesOnce(command: Command, above: readonly Command[] = []): void {
  const line = [...above, command];
  for (const option of command.options.filter(({ required, optional }) => required || optional)) {
    const key = option.attributeName();
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      const isTwice = isGiven || above.some((each) => each.getOptionValueSource(key) === 'cli');
      // A list or a table takes each value.
      const collects = typeof command.getOptionValue(key) === 'object';
      if (isTwice && !collects) command.error(`error: option '${option.flags}' was given twice`);
      isGiven = true;
    });
  }
  for (const each of command.commands) takeValuesOnce(each, line);
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
