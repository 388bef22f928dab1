import type { Command } from 'commander';
import { listCommand } from '../reach/list-command.ts';
import type { Pages } from '../reach/read-pages.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';
import { grantSecondsOf } from './grant-seconds.ts';

interface VerdictOptions extends GatewayOptions {
  readonly reason?: string;
  /** The hash of a plan that the approver read elsewhere. */
  readonly hash?: string;
  /** A duration: for that long, the approval also holds for the same plan of the same agent. */
  readonly for?: string;
}

export function pendingCommand(): Command {
  return listCommand(
    'pending',
    "what waits for a person, each plan in full: every agent's oldest first, then every agent's next",
  ).action((_options, command: Command) => pending(command.optsWithGlobals()));
}

export function approveCommand(): Command {
  return verdictCommand('approve', 'let a waiting command run, exactly as it was shown to you').option(
    '--for <time>',
    'and let the very same plan of the same agent run again without asking for so long, like 90s or 10m',
  );
}

export function denyCommand(): Command {
  return verdictCommand('deny', 'refuse a waiting command that was shown to you');
}

function verdictCommand(word: 'approve' | 'deny', description: string): Command {
  return gatewayClientCommand(word, description)
    .argument('<id>', 'its id, or enough of its beginning, of what pending, show or watch showed here')
    .option('--hash <hash>', 'of the plan, if you read it elsewhere; needs the whole id')
    .option('--reason <text>', 'for the record')
    .action((id: string, _options, command: Command) => resolve(word, id, command.optsWithGlobals()));
}

async function pending(options: GatewayOptions & Pages): Promise<void> {
  await withGateway('pending', options, async (client) => {
    const { printPending } = await import('./print-pending.ts');
    await printPending(client, options);
  });
}

async function resolve(word: 'approve' | 'deny', id: string, options: VerdictOptions): Promise<void> {
  const { reason = '', hash } = options;
  const grantSeconds = options.for === undefined ? 0 : grantSecondsOf(options.for);
  const [{ shownQuestion }, { readContext }] = await Promise.all([
    import('./shown-questions.ts'),
    import('../reach/context.ts'),
  ]);
  const shown =
    hash === undefined ? shownQuestion(word, id, readContext(options.context)) : { id, planHash: hash };
  await withGateway(word, options, async (client) => {
    const [{ Verdict, WardenServiceService }, { printVerdict }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('./print-verdict.ts'),
    ]);
    if (grantSeconds > 0) await (await import('./check-grant.ts')).checkGrant(client, shown.id);
    const verdict = word === 'approve' ? Verdict.APPROVE : Verdict.DENY;
    const request = { id: shown.id, planHash: shown.planHash, verdict, reason, grantSeconds, via: 'cli' };
    const { approval } = await client.call(WardenServiceService.resolveApproval, request);
    if (approval === undefined) throw new Error('the gateway answered nothing');
    printVerdict(word, approval, options);
  });
}
