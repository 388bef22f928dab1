import type { ErrorCode } from '../../src/errors.ts';
import { failure } from '../../src/outcome.ts';
import type { ExecutionResult } from '../ports/detached.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import type { Principal, PrincipalKind } from '../ports/principal.ts';

/** Of one that ended with its gateway: its output is lost. */
export function resultOf(record: ExecutionRecord): ExecutionResult {
  const { reason, text, exitCode: code, exitSignal: signal, planHash, host, container, startedAt } = record;
  const lost = { bytes: Buffer.alloc(0), truncated: startedAt !== undefined };
  return {
    // This program wrote it.
    outcome: reason === '' ? { kind: 'exited', code, signal } : failure(reason as ErrorCode, text),
    ...{ planHash, host, container, wasStarted: startedAt !== undefined, stdout: lost, stderr: lost },
  };
}

/** As far as its name says: to come back to what waits, it has to be nothing else. */
export function callerOf(name: string): Principal {
  const at = name.indexOf(':');
  const kind = name.slice(0, at) as PrincipalKind;
  return { kind, name: name.slice(at + 1), role: 'agent', scope: {} };
}
