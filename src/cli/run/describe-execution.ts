import type { Execution } from '../../gen/clawrden/v1/warden.ts';
import { renderArgument } from '../../text/render-text.ts';
import { decisionColors } from '../print/decision-colors.ts';
import type { Cell } from '../print/output.ts';

/** `allow by read-only` */
export function decisionCell({ decision, rule }: Execution): Cell {
  const text =
    decision === '' ? 'not decided' : `${decision}${rule === '' ? '' : ` by ${renderArgument(rule)}`}`;
  const color = decisionColors[decision as keyof typeof decisionColors];
  return color === undefined ? text : [text, color];
}

/** How it ended, or its state. */
export function resultCell({ state, outcome, exitCode, exitSignal, reason }: Execution): Cell {
  if (state !== 'ended') return [state, 'yellow'];
  if (reason !== '') return [`${outcome}: ${renderArgument(reason)}`, 'red'];
  if (outcome === 'started') return 'started';
  if (exitSignal !== 0) return [`signal ${exitSignal}`, 'red'];
  return exitCode === 0 ? ['exit 0', 'green'] : [`exit ${exitCode}`, 'yellow'];
}

/** Long enough to be unique. */
export function shortId(id: string): string {
  return id.slice(0, 18);
}
