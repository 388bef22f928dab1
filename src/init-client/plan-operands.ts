import type { Operand, Plan } from '../plan.ts';
import { type ScriptOperand, scriptOperands } from '../policy/arguments/script-operands.ts';
import { operandText, parseOperand } from './operand-texts.ts';

/** The orders of an init for the files that the command of a plan runs. */
export interface OperandOrders {
  readonly operands: readonly string[];
  /** Empty if any answer will do. */
  readonly expected: readonly string[];
}

/** If a person saw the plan, it says what must be there; else the arguments name the files. */
export function operandOrders({ argv, operands: seen }: Plan): OperandOrders {
  if (seen === undefined) return { operands: scriptOperands(argv).flatMap(pathOf), expected: [] };
  const files = seen.filter((operand) => operand.path !== undefined);
  return { operands: files.flatMap(pathOf), expected: files.map(operandText) };
}

/** The operands of a plan, with what its init found for each file, in the order of its orders. */
export function operandsFound({ argv, operands: seen }: Plan, found: readonly string[]): readonly Operand[] {
  const texts = found.values();
  return (
    seen ??
    scriptOperands(argv).map((operand) =>
      'path' in operand ? parseOperand(operand.path, texts.next().value ?? '') : operand,
    )
  );
}

function pathOf(operand: ScriptOperand | Operand): readonly string[] {
  return 'path' in operand && operand.path !== undefined ? [operand.path] : [];
}
