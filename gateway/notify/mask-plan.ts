import type { Operand, Plan, ScriptOperand } from '../../src/plan.ts';
import { maskText, maskWords } from '../../src/text/mask-tokens.ts';

/** A plan for eyes that are not at our doors: what looks like a credential is not in it. */
export function maskPlan(plan: Plan): { readonly plan: Plan; readonly isMasked: boolean } {
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
  if ('digest' in operand) return { ...operand, path: maskText(operand.path), file: maskText(operand.file) };
  const { path, notInspected } = operand;
  return { ...(path !== undefined && { path: maskText(path) }), notInspected: maskText(notInspected) };
}
