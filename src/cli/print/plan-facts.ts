import type { Operand } from '../../plan.ts';
import { operandLines, type PlanLine, planLines } from '../../text/describe-plan.ts';
import type { Fact } from './output.ts';

/** Everything in a plan; what is unusual about it is yellow. */
export function planFacts(canonical: string): Fact[] {
  return planLines(canonical).map(toFact);
}

export function operandFacts(name: string, operands: readonly Operand[]): Fact[] {
  return operandLines(name, operands).map(toFact);
}

function toFact({ name, text, notes }: PlanLine): Fact {
  return [name, notes.length === 0 ? text : [text, 'yellow']];
}
