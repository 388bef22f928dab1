import type { Command } from 'commander';
import { parseDuration } from '../config/quantities.ts';
import { CliError } from './cli-error.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from './with-gateway.ts';

interface VerdictOptions extends GatewayOptions {
  readonly reason?: string;
  /** A duration: the approval holds for the same plan of the same agent for so long. */
  readonly for?: string;
}

export function pendingCommand(): Command {
  return gatewayClientCommand('pending', 'what waits for a person, each plan in full').action(
    (_options, command: Command) => pending(command.optsWithGlobals()),
  );
}

export function approveCommand(): Command {
  return verdictCommand('approve', 'let a waiting command run, exactly as `pending` shows it').option(
    '--for <time>',
    'and let the very same plan of the same agent run again without asking for so long, like 10m',
  );
}

export function denyCommand(): Command {
  return verdictCommand('deny', 'refuse a waiting command');
}

function verdictCommand(word: 'approve' | 'deny', description: string): Command {
  return gatewayClientCommand(word, description)
    .argument('<id>', 'its id, or enough of its beginning')
    .option('--reason <text>', 'for the record')
    .action((id: string, _options, command: Command) => resolve(word, id, command.optsWithGlobals()));
}

async function pending(options: GatewayOptions): Promise<void> {
  await withGateway('pending', options, async (client) => {
    const [{ WardenServiceService }, { printJson, printLine }, { printApproval, withPlan }] =
      await Promise.all([
        import('../gen/clawrden/v1/warden.ts'),
        import('./output.ts'),
        import('./show-approval.ts'),
      ]);
    const { approvals } = await client.call(WardenServiceService.listApprovals, {});
    if (options.json === true) return printJson(approvals.map(withPlan));
    if (approvals.length === 0) printLine('nothing waits');
    approvals.forEach(printApproval);
  });
}

async function resolve(word: 'approve' | 'deny', id: string, options: VerdictOptions): Promise<void> {
  await withGateway(word, options, async (client) => {
    const [{ Verdict, WardenServiceService }, { printFolded, printJson }, { askedBy, planArgv, withPlan }] =
      await Promise.all([
        import('../gen/clawrden/v1/warden.ts'),
        import('./output.ts'),
        import('./show-approval.ts'),
      ]);
    const verdict = word === 'approve' ? Verdict.APPROVE : Verdict.DENY;
    const grantMinutes = minutes(options.for);
    const request = { id, verdict, reason: options.reason ?? '', grantMinutes, via: 'cli' };
    const { approval } = await client.call(WardenServiceService.resolveApproval, request);
    if (approval === undefined) throw new Error('the gateway answered nothing');
    if (options.json === true) return printJson({ verdict: word, ...withPlan(approval) });
    const said = word === 'approve' ? (['approved ', 'green'] as const) : (['denied ', 'red'] as const);
    printFolded(said, `${askedBy(approval)}: ${planArgv(approval)}`);
  });
}

function minutes(text: string | undefined): number {
  if (text === undefined) return 0;
  const ms = parseDuration(text);
  if (ms !== undefined) return Math.max(1, Math.round(ms / 60_000));
  throw new CliError('approve', `--for ${text} is no time`, 'write it like 10m or 2h');
}
