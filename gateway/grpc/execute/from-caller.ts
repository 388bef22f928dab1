import { ClawrdenError } from '../../../src/errors.ts';
import type {
  ExecuteRequest,
  FoundOperand,
  Inspected,
  MirrorEnd,
  Started,
} from '../../../src/gen/clawrden/v1/execution.ts';
import type { Found } from '../../../src/init-client/plan-operands.ts';
import { failure, type Outcome } from '../../../src/outcome.ts';
import { mirrorEnds } from '../../../src/relay-codes.ts';
import { firstBytes } from '../../../src/text/first-bytes.ts';
import { endingSignals } from '../../../src/wire/ending-signals.ts';
import type { FromCaller } from '../../ports/channel.ts';
import { invalid } from '../calls/errors.ts';
import { codeOf, cutText, toTerminalSize } from './start-request.ts';

type Message = NonNullable<ExecuteRequest['message']>;

const maxOperands = 8;
const maxOperandBytes = 8192;

/** HUP INT QUIT USR1 USR2 TERM CONT TSTP */
const signals: ReadonlySet<number> = new Set([1, 2, 3, 10, 12, 15, 18, 20]);
/**
 * One message of a running execution in the gateway's words. Throws CallRefused if it is not a valid message, also if
 * a command that the relay has not reported as started (`isStarted`) ends as one that ran.
 */
export function toFromCaller(message: Exclude<Message, { $case: 'cancel' }>, isStarted: boolean): FromCaller {
  switch (message.$case) {
    case 'stdin':
      return { type: 'stdin', bytes: message.value };
    case 'stdinEnd':
      return { type: 'stdin-end' };
    case 'signal':
      if (!signals.has(message.value)) throw invalid(`signal ${message.value} is not one that may be sent`);
      return { type: 'signal', signal: message.value };
    case 'resize':
      return { type: 'resize', size: toTerminalSize(message.value) };
    case 'closed':
      if (message.value !== 1 && message.value !== 2) throw invalid('closed must be 1 or 2');
      return { type: 'closed', fd: message.value };
    case 'started':
      return mirrorStarted(message.value);
    case 'stdout':
      return { type: 'mirror-output', fd: 1, bytes: message.value };
    case 'stderr':
      return { type: 'mirror-output', fd: 2, bytes: message.value };
    case 'mirrorEnd':
      return mirrorEnd(message.value, isStarted);
    case 'inspected':
      return { type: 'inspected', found: toInspection(message.value) };
    case 'start':
    case 'resume':
      throw invalid(`${message.$case} comes first and once`);
  }
}

function mirrorStarted({ container, found }: Started): FromCaller {
  return { type: 'mirror-started', container: cutText(container), found: toFound(found) };
}

/** As many as an init can get; each with the digest and the path of one file. */
function toFound(found: readonly FoundOperand[]): Found {
  if (found.length > maxOperands) throw invalid(`more than ${maxOperands} operands`);
  const lines = new Map(found.map(({ path, line }) => [path, firstBytes(line, maxOperandBytes)]));
  if (lines.size < found.length) throw invalid('an operand comes once');
  return lines;
}

function toInspection({ found, reason, text }: Inspected): Found | ClawrdenError {
  if (reason === '') return toFound(found);
  return new ClawrdenError(codeOf(reason, mirrorEnds), cutText(text));
}

function mirrorEnd(end: MirrorEnd, isStarted: boolean): FromCaller {
  const outcome = toMirrorOutcome(end);
  const { usage } = end;
  if (isStarted || outcome.kind !== 'exited') return { type: 'mirror-end', outcome, usage };
  // Before the start only a signal of the caller's ends a command without a reason.
  const { code, signal } = outcome;
  if (code !== 0 || !endingSignals.has(signal)) throw invalid('a command that exits was started first');
  return { type: 'mirror-end', outcome: { kind: 'interrupted', signal }, usage };
}

function toMirrorOutcome({ code, signal, reason, text }: MirrorEnd): Outcome {
  if (reason !== '') return failure(codeOf(reason, mirrorEnds), cutText(text));
  if (code > 255 || signal > 64) throw invalid('mirror_end has no such code or signal');
  return { kind: 'exited', code, signal };
}
