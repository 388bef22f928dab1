import type { Command } from 'commander';
import type { Approval } from '../gen/clawrden/v1/warden.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from './with-gateway.ts';

interface VerdictOptions extends GatewayOptions {
  readonly reason?: string;
}

export function pendingCommand(): Command {
  return gatewayClientCommand('pending', 'what waits for a person, each plan in full').action(
    (_options, command: Command) => pending(command.optsWithGlobals()),
  );
}

export function approveCommand(): Command {
  return verdictCommand('approve', 'let a waiting command run, exactly as `pending` shows it');
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
    const [{ WardenServiceService }, { printJson, printLine }, { printApproval }] = await Promise.all([
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
    const [{ Verdict, WardenServiceService }, { printJson, printLine }, { planArgv }] = await Promise.all([
      import('../gen/clawrden/v1/warden.ts'),
      import('./output.ts'),
      import('./show-approval.ts'),
    ]);
    const verdict = word === 'approve' ? Verdict.APPROVE : Verdict.DENY;
    const request = { id, verdict, reason: options.reason ?? '' };
    const { approval } = await client.call(WardenServiceService.resolveApproval, request);
    if (approval === undefined) throw new Error('the gateway answered nothing');
    if (options.json === true) return printJson({ verdict: word, ...withPlan(approval) });
    const said = word === 'approve' ? (['approved ', 'green'] as const) : (['denied ', 'red'] as const);
    printLine(said, `${approval.agent}: ${planArgv(approval)}`);
  });
}

function withPlan(approval: Approval): object {
  return { ...approval, plan: JSON.parse(approval.plan) as object };
}
