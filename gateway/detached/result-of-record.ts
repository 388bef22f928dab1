import type { ErrorCode } from '../../src/errors.ts';
import { failure } from '../../src/outcome.ts';
import type { ExecutionResult } from '../ports/detached.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import type { Principal, PrincipalKind } from '../ports/principal.ts';

/** Of one that ended with its gateway: its output is lost. */
export function resultOf(record: ExecutionRecord): ExecutionResult {
  const { reason, text, exitCode: code, exitSignal: signal, planHash, host, container } = record;
  const wasStarted = mayHaveStarted(record);
  const lost = { bytes: Buffer.alloc(0), truncated: wasStarted };
  return {
    // This program wrote it.
    outcome: reason === '' ? { kind: 'exited', code, signal } : failure(reason as ErrorCode, text),
    ...{ planHash, host, container, wasStarted, stdout: lost, stderr: lost },
  };
}

/**
 * A tool has its plan before its start is recorded: of what a killed gateway left, only a command that nobody had
 * allowed yet is known not to have started. Who is told so starts it again.
 */
function mayHaveStarted({ startedAt, outcome, reason, ...allowed }: ExecutionRecord): boolean {
  if (startedAt !== undefined || outcome === 'exited') return true;
  return reason === 'gateway-lost' && isAllowed(allowed);
}

/** By the policy, by a person, or by a grant, for which nobody was asked. */
function isAllowed({
  decision,
  approvalId,
  approver,
}: Pick<ExecutionRecord, 'decision' | 'approvalId' | 'approver'>): boolean {
  return decision === 'allow' || (decision === 'ask' && (approvalId === '' || approver !== ''));
}

/** As far as its name says: to come back to what waits, it has to be nothing else. */
export function callerOf(name: string): Principal {
  const at = name.indexOf(':');
  const kind = name.slice(0, at) as PrincipalKind;
  return { kind, name: name.slice(at + 1), role: 'agent', scope: {} };
}
