import { abortable, deadline } from '../../src/abort.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { PendingApproval, Verdict } from '../ports/verdict.ts';
import { restOf } from '../principals/lifetime.ts';
import { isUnwritten } from '../store/unwritten.ts';
import type { ApprovalStore } from './approval-store.ts';

/** A question for who asked it. */
export interface Asked {
  readonly approval: PendingApproval;
  /** An earlier gateway wrote the verdict to the audit. */
  readonly verdictRecorded?: boolean;
  /**
   * Rejects with `approval-expired`, or with the signal's reason: the question is then void. If an answer came first,
   * the answer counts.
   */
  readonly verdict: (signal: AbortSignal) => Promise<Verdict>;
  /** The verdict is in the audit; or why it is not. */
  readonly recorded: (failed?: Error) => void;
  /** Marks the one start of an approved question as done; throws if it was done before. */
  readonly use: () => Promise<void>;
}

/** A question that waits, for those who answer it. */
export interface Waits {
  readonly approval: PendingApproval;
  readonly answer: Promise<Verdict>;
  /** From here on no verdict begins to count: why. */
  readonly over: (why: string) => void;
  readonly forget: () => void;
  /** Somebody waits for the answer, and records it. */
  readonly awaited: () => void;
  readonly recorded: Asked['recorded'];
}

export function asked(waits: Waits, store: ApprovalStore): Asked {
  const { approval, awaited, forget, recorded } = waits;
  return {
    ...{ approval, recorded },
    verdict: (signal) => {
      awaited();
      return untilAnswered(waits, signal, store).finally(forget);
    },
    use: async () => {
      if (!(await store.use(approval.id))) {
        throw new ClawrdenError('internal', `approval ${approval.id} has let its one start go before`);
      }
    },
  };
}

async function untilAnswered(
  { approval, answer, over }: Waits,
  signal: AbortSignal,
  store: ApprovalStore,
): Promise<Verdict> {
  const expired = new ClawrdenError('approval-expired', 'nobody answered in time');
  // A timer uses the monotonic clock: a change of the wall clock neither expires nor extends a question.
  const rest = restOf({ since: approval.createdAt, until: approval.expiresAt });
  using until = deadline(rest, () => expired, signal);
  try {
    return await abortable(answer, until.signal);
  } catch (error) {
    if (!until.signal.aborted) throw error;
    const reason = until.signal.reason as ClawrdenError;
    // Whether the disk takes this or not: a verdict that is still on its way there starts nothing.
    over(reason.message);
    const verdict = reason === expired ? 'expired' : 'void';
    // If a verdict reached the disk first, it counts.
    const said = { verdict, by: '', via: '', reason: reason.message } as const;
    const hasEnded = await store.end(approval, said).catch((failed: unknown) => {
      // The next start finds that its command waits no more.
      if (isUnwritten(failed)) return true;
      throw failed;
    });
    if (!hasEnded) return await answer;
    throw reason;
  }
}
