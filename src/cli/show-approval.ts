import type { Approval } from '../gen/clawrden/v1/warden.ts';
import type { Plan } from '../plan.ts';
import { quoteText, renderArgument, renderArgv } from '../render-text.ts';
import { between, localTime } from './describe-execution.ts';
import { planFacts } from './describe-plan.ts';
import { type Fact, printFacts, printFolded, printLine } from './output.ts';

/** One question, with all of what would run. */
export function printApproval(approval: Approval): void {
  printFolded([approval.id, 'bold'], `  asked by ${askedBy(approval)}, expires in ${timeLeft(approval)}`);
  printFacts(approvalFacts(approval).map(([name, value]) => [`  ${name}`, value] as const));
  printLine('');
}

/** Everything that a person decides about. */
export function approvalFacts(approval: Approval): Fact[] {
  return [
    ['because', `${renderArgument(approval.rule)}: ${quoteText(approval.reason)}`],
    ['asked', localTime(approval.createdAt)],
    ['plan', approval.planHash],
    ...planFacts(approval.plan),
  ];
}

export function askedBy({ agent }: Approval): string {
  return agent === '' ? 'an orchestrator' : renderArgument(agent);
}

export function timeLeft({ expiresAt }: Approval): string {
  return between(new Date().toISOString(), expiresAt);
}

export function planArgv({ plan }: Approval): string {
  return renderArgv((JSON.parse(plan) as Plan).argv);
}

/** For JSON: the plan as an object. */
export function withPlan(approval: Approval): object {
  return { ...approval, plan: JSON.parse(approval.plan) as object };
}
