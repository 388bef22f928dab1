import type { Operand, Plan } from '../plan.ts';
import { type ScriptOperand, scriptOperands } from '../policy/arguments/script-operands.ts';
import { operandText, parseOperand } from './operand-texts.ts';

/** What an init is told of the files that the command of a plan runs. */
export interface OperandOrders {
  readonly operands: readonly string[];
  /** Empty where anything may be found. */
  readonly expected: readonly string[];
}

/** A plan that a person saw says what must be there; for any other one its arguments name the files. */
export function operandOrders({ argv, operands: seen }: Plan): OperandOrders {
  if (seen === undefined) return { operands: scriptOperands(argv).flatMap(pathOf), expected: [] };
  const files = seen.filter((operand) => operand.path !== undefined);
  return { operands: files.flatMap(pathOf), expected: files.map(operandText) };
}

/** What the command of a plan runs, with what its init has found of each file, in the order of its orders. */
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
