import { consentText } from '../../policy/rules/consent.ts';
import { quoteText } from '../../text/render-text.ts';
import { printJson } from '../print/output.ts';
import { planFacts } from '../print/plan-facts.ts';
import { withGateway } from '../reach/with-gateway.ts';
import { printExplanation, ruleText } from './print-explanation.ts';
import { toConsent } from './show-approval.ts';

export interface ExplainOptions {
  readonly policy?: string;
  readonly toolFiles?: string;
  readonly agent: string;
  readonly uid?: number;
  readonly cwd?: string;
  readonly json?: boolean;
  readonly context?: string;
}

/** Asks the running gateway: its policy, its agents, and the plan that it would make. */
export async function explainByGateway(
  tool: string,
  args: readonly string[],
  options: ExplainOptions,
): Promise<void> {
  const { agent, uid, cwd = '', json } = options;
  const answer = await withGateway('policy explain', options, async (client) => {
    const { WardenServiceService } = await import('../../gen/clawrden/v1/warden.ts');
    return client.call(WardenServiceService.explainCommand, {
      ...{ agent, tool, args: [...args], cwd },
      ...(uid === undefined ? {} : { uid }),
    });
  });
  const { action, rule, line, reason, code, plan, problem, questionSeconds, policyHash, known } = answer;
  if (json === true) return printJson({ ...answer, plan: plan === '' ? undefined : JSON.parse(plan) });
  printExplanation(
    action,
    [tool, ...args],
    [
      ['rule', ruleText(rule, line, reason)],
      ['code', code === '' ? undefined : code],
      ['question', questionSeconds === 0 ? undefined : `refused after ${questionSeconds} s`],
      ['needs', answer.approvals === 0 ? undefined : consentText(toConsent(answer))],
      ['arguments', known === '' ? undefined : quoteText(known)],
      ['problem', problem === '' ? undefined : [quoteText(problem), 'red']],
      ...(plan === '' ? [['policy', policyHash] as const] : planFacts(plan)),
    ],
  );
}
