import type { Plan } from '../../src/plan.ts';
import { scriptOperands } from '../../src/policy/arguments/script-operands.ts';

/** Why a yes to this plan cannot hold for a while; empty where it can. A person answers for what was shown, and for nothing else. */
export function whyNoGrant({ argv, operands = [], stdin }: Plan): string {
  const [unseen] = operands.flatMap((operand) => ('notInspected' in operand ? [operand.notInspected] : []));
  if (unseen !== undefined) return `not all of it was inspected: ${unseen}`;
  if (scriptOperands(argv).length === 0) return '';
  // A plan that was made before operands were looked for.
  if (operands.length === 0) return 'not all of it was inspected: what it runs besides its tool';
  if (stdin === 'none') return '';
  return 'what it runs reads from a pipe that nobody sees; `stdin: none` of the tool in the policy closes it';
}
