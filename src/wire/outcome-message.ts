import { isErrorCode } from '../errors.ts';
import { OutcomeKind, type Outcome as WireOutcome } from '../gen/clawrden/v1/execution.ts';
import { exitOf, failure, type Outcome } from '../outcome.ts';

const kindsOnTheWire = {
  exited: OutcomeKind.EXITED,
  interrupted: OutcomeKind.CANCELED,
  started: OutcomeKind.STARTED,
  denied: OutcomeKind.DENIED,
  canceled: OutcomeKind.CANCELED,
  'timed-out': OutcomeKind.TIMED_OUT,
  failed: OutcomeKind.FAILED,
} as const satisfies Record<Outcome['kind'], OutcomeKind>;

export function toWireOutcome(outcome: Outcome): WireOutcome {
  const { code, signal } = exitOf(outcome);
  const why = 'reason' in outcome ? { reason: outcome.reason, text: outcome.text } : { reason: '', text: '' };
  return { kind: kindsOnTheWire[outcome.kind], code, signal, ...why };
}

/** The reverse. An outcome that our gateway never sends becomes `internal`. */
export function fromWireOutcome(wire: WireOutcome): Outcome {
  if (wire.kind === OutcomeKind.EXITED) return { kind: 'exited', code: wire.code, signal: wire.signal };
  if (wire.kind === OutcomeKind.STARTED) return { kind: 'started' };
  if (wire.reason === '' && wire.signal !== 0) return { kind: 'interrupted', signal: wire.signal };
  return failure(isErrorCode(wire.reason) ? wire.reason : 'internal', wire.text);
}
