import type { Operand, Plan, ScriptOperand } from '../../src/plan.ts';
import { maskText, maskWords } from '../../src/text/mask-tokens.ts';
import type { MaskedPlan, QuestionNews } from '../ports/notifier.ts';
import type { PendingApproval } from '../ports/verdict.ts';

/** However many are told of a question, its plan is masked once. */
export function withMaskedPlan(question: PendingApproval): Pick<QuestionNews, 'question' | 'masked'> {
  let made: MaskedPlan | undefined;
  const masked = () => {
    // The gateway wrote it.
    made ??= maskPlan(JSON.parse(question.plan) as Plan);
    return made;
  };
  return { question, masked };
}

/** A plan for eyes that are not at our doors: what looks like a credential is not in it. */
function maskPlan(plan: Plan): MaskedPlan {
  const { scripts, operands } = plan;
  const masked: Plan = {
    ...plan,
    argv: maskWords(plan.argv),
    env: plan.env.map(maskText),
    cwd: maskText(plan.cwd),
    ...(scripts && { scripts: scripts.map(maskScript) }),
    ...(operands && { operands: operands.map(maskOperand) }),
  };
  return { plan: masked, isMasked: JSON.stringify(masked) !== JSON.stringify(plan) };
}

function maskScript(script: ScriptOperand): ScriptOperand {
  return 'path' in script ? { path: maskText(script.path) } : { notInspected: maskText(script.notInspected) };
}

function maskOperand(operand: Operand): Operand {
  if ('digest' in operand) {
    const { path, file, notHeld } = operand;
    const why = notHeld !== undefined && { notHeld: maskText(notHeld) };
    return { ...operand, path: maskText(path), file: maskText(file), ...why };
  }
  const { path, notInspected } = operand;
  return { ...(path !== undefined && { path: maskText(path) }), notInspected: maskText(notInspected) };
}
