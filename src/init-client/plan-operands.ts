import type { Operand, Plan, ScriptOperand } from '../plan.ts';
import { operandText, parseOperand } from './operand-texts.ts';

/** As our init says it there. */
const agentsOwn = 'the agent can change it';

/** What an init said about each file, by the name that the plan gives it. */
export type Found = ReadonlyMap<string, string>;

/** The orders of an init for the files that the command of a plan runs. */
export interface OperandOrders {
  readonly operands: readonly string[];
  /** Empty if any answer will do. */
  readonly expected: readonly string[];
}

/** If a person saw the plan, it says what must be there; else it only names the files. */
export function operandOrders({ scripts = [], operands }: Plan): OperandOrders {
  if (operands === undefined) return { operands: scripts.flatMap(pathOf), expected: [] };
  const files = operands.filter((operand) => operand.path !== undefined);
  return { operands: files.flatMap(pathOf), expected: files.map(operandText) };
}

/** What the command of a plan runs, with what its init found for each file. */
export function operandsFound({ scripts = [], operands, strategy }: Plan, found: Found): readonly Operand[] {
  if (operands !== undefined) return operands;
  const all = scripts.map((operand) =>
    'path' in operand ? parseOperand(operand.path, found.get(operand.path) ?? '') : operand,
  );
  return strategy === 'ghost' ? all : all.map(notHeld);
}

/** In the agent's own container nothing is held, whatever the relay or an init there says. */
function notHeld(operand: Operand): Operand {
  return 'digest' in operand ? { ...operand, notHeld: operand.notHeld ?? agentsOwn } : operand;
}

function pathOf(operand: ScriptOperand | Operand): readonly string[] {
  return 'path' in operand && operand.path !== undefined ? [operand.path] : [];
}
