import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type Approval, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { type Consent, doors, usualDoors } from '../../policy/policy.ts';
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
    ...(approval.said === '' ? [] : [['agent says', quoteText(approval.said)] as const]),
    ['asked', localTime(approval.createdAt)],
    ...consentFacts(approval),
    ['plan', approval.planHash],
    ...planFacts(approval.plan),
  ];
}

/** Nothing of it comes from an agent. */
function consentFacts({ missing, yeses, ...needed }: Approval): Fact[] {
  const consent = toConsent(needed);
  const { approvals, role, names, answerIn } = consent;
  if (approvals === 1 && role === 'approver' && names === undefined && answerIn === undefined) return [];
  const needs = consentText(consent);
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
  answerIn,
}: Pick<Approval, 'approvals' | 'approverRole' | 'approverNames' | 'answerIn'>): Consent {
  const role = (['operator', 'admin'] as const).find((each) => each === approverRole) ?? 'approver';
  const named = doors.filter((door) => answerIn.includes(door));
  const isUsual = answerIn.length === 0 || named.join() === usualDoors.join();
  return {
    ...{ approvals, role },
    ...(approverNames.length > 0 && { names: approverNames }),
    ...(!isUsual && { answerIn: named }),
  };
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
