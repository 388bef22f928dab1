import { Command } from 'commander';
import { addLabel } from '../reach/label-option.ts';
import { reportError } from '../reach/report-error.ts';
import type { ExecOptions } from './exec/run-execution.ts';

export function execCommand(): Command {
  return new Command('exec')
    .description('run a command under the same policy; input, signals and exit status as if it ran here')
    .usage('[options] -- TOOL [ARG ...]')
    .argument('<tool>', 'what to run')
    .argument('[args...]', 'its arguments')
    .option('--agent <name>', "run it as this agent's user, in its workspace")
    .option('--cwd <directory>', "where it starts (default: the agent's)")
    .option('--tty', 'in a terminal of its own, of which this one shows everything')
    .option('--host-label <name=value>', 'only on hosts with this label; may be given again', addLabel, [])
    .option('--context <file>', 'where the gateway is and who you are')
    .passThroughOptions()
    .action(async (tool: string, args: string[], _options, command: Command) => {
      const { runExecution } = await import('./exec/run-execution.ts');
      await runExecution([tool, ...args], command.optsWithGlobals<ExecOptions>()).catch((error: unknown) => {
        reportError(error);
        // Statuses 1 and 2 could be the tool's.
        process.exit(125);
      });
    });
}
