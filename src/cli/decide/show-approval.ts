import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type Approval, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import type { Consent } from '../../policy/policy.ts';
import { consentText } from '../../policy/rules/consent.ts';
import { commandText } from '../../text/command-text.ts';
import { quoteText, renderArgument } from '../../text/render-text.ts';
import { type Fact, printFacts, printFolded, printLine } from '../print/output.ts';
import { planFacts } from '../print/plan-facts.ts';
import { between, localTime } from '../print/times.ts';
import { type Listed, type Pages, readPages } from '../reach/read-pages.ts';

/** One question, with everything that would run. */
export function printApproval(approval: Approval): void {
  printFolded([approval.id, 'bold'], `  asked by ${askedBy(approval)}, expires in ${timeLeft(approval)}`);
  printFacts(approvalFacts(approval).map(([name, value]) => [`  ${name}`, value] as const));
  printLine('');
}

/** A question whose plan is too long for a list. */
export function printSummary(approval: Approval): void {
  printFolded([approval.id, 'bold'], `  asked by ${askedBy(approval)}, expires in ${timeLeft(approval)}`);
  printFacts([['  command', commandText(approval)]]);
  printFolded([`  its plan has ${approval.planBytes} bytes: clawrden show ${approval.id}`, 'yellow']);
  printLine('');
}

/** Everything that a person decides about. */
export function approvalFacts(approval: Approval): Fact[] {
  return [
    ['because', `${renderArgument(approval.rule)}: ${quoteText(approval.reason)}`],
    ['asked', localTime(approval.createdAt)],
    ...consentFacts(approval),
    ['plan', approval.planHash],
    ...planFacts(approval.plan),
  ];
}

/** Nothing of it comes from an agent. */
function consentFacts({ approvals, approverRole, approverNames, missing, yeses }: Approval): Fact[] {
  if (approvals === 1 && approverRole === 'approver' && approverNames.length === 0) return [];
  const needs = consentText(toConsent({ approvals, approverRole, approverNames }));
  return [
    ['needs', `${needs}; ${missing} more`],
    ...yeses.map(({ givenBy, givenAt, counts, reason }): Fact => {
      const said = reason === '' ? '' : `: ${quoteText(reason)}`;
      return ['yes', `${givenBy}, ${localTime(givenAt)}${counts ? '' : ' (does not count any more)'}${said}`];
    }),
  ];
}

export function toConsent({
  approvals,
  approverRole,
  approverNames,
}: Pick<Approval, 'approvals' | 'approverRole' | 'approverNames'>): Consent {
  const role = (['operator', 'admin'] as const).find((each) => each === approverRole) ?? 'approver';
  return { approvals, role, ...(approverNames.length > 0 && { names: approverNames }) };
}

export function askedBy({ agent }: Approval): string {
  return agent === '' ? 'an orchestrator' : renderArgument(agent);
}

export function timeLeft({ expiresAt }: Approval): string {
  return between(new Date().toISOString(), expiresAt);
}

/** For JSON: the plan as an object; without it if it was not fetched. */
export function approvalJson({ plan, ...approval }: Approval): object {
  return plan === '' ? approval : { ...approval, plan: JSON.parse(plan) as object };
}

/** The waiting questions, without their plans. */
export function listWaiting(client: GatewayClient, pages: Pages = {}): Promise<Listed<Approval>> {
  return readPages(pages, async (request) => {
    const { approvals, nextPageToken } = await client.call(WardenServiceService.listApprovals, request);
    return { rows: approvals, next: nextPageToken };
  });
}
