import { isUtf8 } from 'node:buffer';
import { exitCodes } from '../../../src/exit-codes.ts';
import type { FinishedExecution, OutcomeView } from '../../../src/http-api/executions.ts';
import type { Outcome } from '../../../src/outcome.ts';
import type { ExecutionResult, FirstOutput } from '../../ports/detached.ts';
import { coded, ProblemThrown } from '../problem.ts';
import { encoded, unfinished } from './text-chunks.ts';

/** What became of an execution. Throws its refusal if its tool was never started. */
export function toFinished(
  { id, agent }: { readonly id: string; readonly agent: string },
  { outcome, planHash, host, container, wasStarted, stdout, stderr }: ExecutionResult,
): FinishedExecution {
  refuseIfItNeverStarted(wasStarted, outcome, id);
  const output = { stdout: toCaptured(stdout), stderr: toCaptured(stderr) };
  return { id, agent, planHash, host, container, outcome: toOutcomeView(outcome), ...output };
}

/** What the tool did is an outcome; if there was no tool, the request has failed. */
export function refuseIfItNeverStarted(hasStarted: boolean, outcome: Outcome, id: string): void {
  if (hasStarted || !('reason' in outcome)) return;
  const { problem, headers } = coded(outcome.reason, outcome.text);
  throw new ProblemThrown({ problem: { ...problem, execution: id }, headers });
}

export function toOutcomeView(outcome: Outcome): OutcomeView {
  switch (outcome.kind) {
    case 'exited':
    case 'interrupted': {
      const code = outcome.kind === 'exited' ? outcome.code : 0;
      const { kind, signal } = outcome;
      return { kind, signal, exitCode: signal === 0 ? code : 128 + signal };
    }
    case 'started':
      return { kind: 'started', exitCode: 0, signal: 0 };
    default: {
      const { kind, reason, text } = outcome;
      return { kind, exitCode: exitCodes[reason], signal: 0, reason, text };
    }
  }
}

/** A character that the bound cuts is left out, so that text stays text. */
function toCaptured({ bytes, truncated }: FirstOutput): FinishedExecution['stdout'] {
  const cut = truncated && !isUtf8(bytes) ? unfinished(bytes) : 0;
  const whole = bytes.subarray(0, bytes.length - cut);
  return { ...encoded(isUtf8(whole) ? whole : bytes), truncated };
}
