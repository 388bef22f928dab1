import type { Consent } from '../../src/policy/policy.ts';
import { doorsOf } from '../../src/policy/rules/consent.ts';
import type { RecordableCommand } from '../../src/recordable-command.ts';
import { firstBytes } from '../../src/text/first-bytes.ts';
import type { Grant } from '../ports/grant.ts';
import type { ToolView } from '../ports/tool-view.ts';
import type { Explanation } from '../ports/warden-api.ts';
import { toTime, withShortTexts } from './short-texts.ts';

// What every door shows alike. Every text in it is bounded, whatever a peer has made of it.

const mostTools = 200;
const toolBytes = 255;
const mostRules = 200;
const longPlanBytes = 1024 * 1024;

export function boundedCommand({ argv, cwd, cut }: RecordableCommand) {
  return { argv: [...argv], cwd, ...(cut && { cut: { ...cut } }) };
}

export function boundedConsent(consent: Consent) {
  const { approvals, role, names = [] } = consent;
  return { approvals, approverRole: role, approverNames: [...names], answerIn: [...doorsOf(consent)] };
}

export function boundedGrant({
  command,
  by,
  deed: _deed,
  stamps: _stamps,
  since,
  until,
  execution,
  ...same
}: Grant) {
  return {
    ...withShortTexts(same),
    ...boundedCommand(command),
    executionId: execution,
    givenBy: [...by],
    ...(since > 0 && { givenAt: toTime(since) }),
    expiresAt: toTime(until),
  };
}

/** Names of tools that a relay reports. */
export function boundedNames(tools: readonly string[]): string[] {
  return tools.slice(0, mostTools).map((tool) => firstBytes(tool, toolBytes));
}

export function boundedTool({
  timeoutMs,
  rules: _rules,
  may: _may,
  documentation: _documentation,
  reaches: _reaches,
  ...same
}: ToolView) {
  return { ...withShortTexts(same), timeoutSeconds: Math.ceil(timeoutMs / 1000) };
}

export function boundedRules({ rules }: ToolView) {
  return rules.slice(0, mostRules).map(withShortTexts);
}

export function boundedExplanation({ questionMs, plan, consent, ...same }: Explanation) {
  const bytes = Buffer.byteLength(plan);
  const whole = bytes <= longPlanBytes;
  return {
    ...withShortTexts(same),
    ...(whole ? { plan } : { plan: '', problem: `its plan has ${bytes} bytes, too many to be shown` }),
    ...(consent && boundedConsent(consent)),
    questionSeconds: Math.ceil(questionMs / 1000),
  };
}
