import { randomBytes } from 'node:crypto';
import { ClawrdenError } from '../../src/errors.ts';
import type { PendingApproval, Resolution } from '../warden-view.ts';

/** A person's answer to one pending question. */
export interface Verdict {
  readonly verdict: 'approved' | 'denied';
  readonly by: string;
  readonly reason: string;
}

export interface Question {
  readonly executionId: string;
  readonly agent: string;
  readonly planHash: string;
  readonly plan: string;
  readonly rule: string;
  readonly reason: string;
  readonly expiresInMs: number;
}

/** Questions that wait for a person. Each is answered at most once; an answered, expired or void one never changes. */
export interface Approvals {
  /** Throws `pending-limit` where the agent has too many waiting. */
  readonly ask: (question: Question) => Asked;
  readonly pending: () => PendingApproval[];
  /** `id` may be the only beginning of a pending one. */
  readonly resolve: (id: string, verdict: Verdict) => Resolution;
}

export interface Asked {
  readonly approval: PendingApproval;
  /** Rejects with `approval-expired`, or with the signal's reason where the requester is gone: the question is void. */
  readonly verdict: (signal: AbortSignal) => Promise<Verdict>;
}

interface Waiting {
  readonly approval: PendingApproval;
  readonly settle: (verdict: Verdict) => void;
}

const resolvedKept = 1000;

/** In memory: a restart voids what was pending, and the shims that waited end with 125. */
export function createApprovals(pendingPerAgent: number): Approvals {
  const waiting = new Map<string, Waiting>();
  const resolved = new Set<string>();

  function forget(id: string): void {
    waiting.delete(id);
    resolved.add(id);
    for (const oldest of resolved) {
      if (resolved.size <= resolvedKept) break;
      resolved.delete(oldest);
    }
  }

  return {
    ask: (question) => {
      const ofAgent = [...waiting.values()].filter(({ approval }) => approval.agent === question.agent);
      if (ofAgent.length >= pendingPerAgent) {
        throw new ClawrdenError(
          'pending-limit',
          `${ofAgent.length} commands of this agent already wait for approval`,
        );
      }
      const approval = toApproval(question);
      const answer = Promise.withResolvers<Verdict>();
      waiting.set(approval.id, { approval, settle: answer.resolve });
      return {
        approval,
        verdict: (signal) =>
          until(answer.promise, question.expiresInMs, signal).finally(() => forget(approval.id)),
      };
    },
    pending: () => [...waiting.values()].map(({ approval }) => approval),
    resolve: (id, verdict) => {
      const matches = [...waiting.keys()].filter((key) => key.startsWith(id));
      const found = waiting.get(id) ?? (matches.length === 1 ? waiting.get(matches[0] ?? '') : undefined);
      if (found === undefined) return notPending(id, matches.length, resolved);
      forget(found.approval.id);
      found.settle(verdict);
      return { type: 'resolved', approval: found.approval };
    },
  };
}

function toApproval({ expiresInMs, ...question }: Question): PendingApproval {
  const createdAt = Date.now();
  return { ...question, id: randomBytes(5).toString('hex'), createdAt, expiresAt: createdAt + expiresInMs };
}

function notPending(id: string, matches: number, resolved: ReadonlySet<string>): Resolution {
  if (matches > 1) return { type: 'ambiguous', text: `${matches} pending approvals begin with ${id}` };
  return resolved.has(id)
    ? { type: 'already-resolved', text: `approval ${id} was resolved before or has expired` }
    : { type: 'unknown', text: `no pending approval ${id}` };
}

function until(answer: Promise<Verdict>, ms: number, signal: AbortSignal): Promise<Verdict> {
  const ended = Promise.withResolvers<Verdict>();
  // A timer runs on the monotonic clock: setting the wall clock neither expires nor extends a question.
  const expire = () => ended.reject(new ClawrdenError('approval-expired', 'nobody answered in time'));
  const timer = setTimeout(expire, ms);
  const onAbort = () => ended.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  void answer.then(ended.resolve);
  return ended.promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  });
}
