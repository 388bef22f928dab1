import type { Plan } from '../../src/plan.ts';

/** Why a yes to this plan cannot hold for a while; empty if it can. A person answers only for what was shown. */
export function whyNoGrant({ scripts, operands = [], stdin }: Plan): string {
  const [unseen] = operands.flatMap((operand) => ('notInspected' in operand ? [operand.notInspected] : []));
  if (unseen !== undefined) return `not all of it was inspected: ${unseen}`;
  if (scripts !== undefined) return 'not all of it was inspected: what it runs besides its tool';
  if (operands.length === 0) return '';
  if (stdin === 'none') return '';
  return 'what it runs reads from a pipe that nobody sees; `stdin: none` of the tool in the policy closes it';
}
