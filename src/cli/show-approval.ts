import type { Approval } from '../gen/clawrden/v1/warden.ts';
import type { Plan } from '../plan.ts';
import { renderArgv, renderText } from '../render-text.ts';
import { between, localTime } from './describe-execution.ts';
import { planFacts } from './describe-plan.ts';
import { printFacts, printLine } from './output.ts';

/** One question, with all of what would run. */
export function printApproval(approval: Approval): void {
  const left = between(new Date().toISOString(), approval.expiresAt);
  printLine(
    [approval.id, 'bold'],
    `  asked by ${renderText(approval.agent || 'an orchestrator')}, expires in ${left}`,
  );
  printFacts([
    ['  because', renderText(`${approval.rule}: ${approval.reason}`)],
    ['  asked', localTime(approval.createdAt)],
    ['  plan', approval.planHash],
    ...planFacts(approval.plan).map(([name, value]) => [`  ${name}`, value] as const),
  ]);
  printLine('');
}

export function planArgv({ plan }: Approval): string {
  return renderArgv((JSON.parse(plan) as Plan).argv);
}
