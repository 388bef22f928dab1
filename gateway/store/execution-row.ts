import { z } from 'zod';
import type { ExecutionRecord, ExecutionState } from '../ports/execution-record.ts';
import type { ExecutionRow } from './database.ts';

export function toRow(record: ExecutionRecord): ExecutionRow {
  return {
    caller: record.caller,
    id: record.id,
    agent: record.agent,
    argv: JSON.stringify(record.argv),
    cwd: record.cwd,
    uid: record.uid,
    gid: record.gid,
    state: record.state,
    decision: record.decision,
    rule: record.rule,
    decision_reason: record.decisionReason,
    strategy: record.strategy,
    host: record.host,
    container: record.container,
    plan_hash: record.planHash,
    plan: record.plan,
    approval_id: record.approvalId,
    approver: record.approver,
    outcome: record.outcome,
    exit_code: record.exitCode,
    exit_signal: record.exitSignal,
    reason: record.reason,
    text: record.text,
    received_at: record.receivedAt,
    decided_at: record.decidedAt ?? null,
    started_at: record.startedAt ?? null,
    ended_at: record.endedAt ?? null,
    stdout_bytes: record.stdoutBytes,
    stderr_bytes: record.stderrBytes,
    operands: record.operands,
    connections: record.connections ?? '',
    connection_count: record.connectionCount ?? 0,
    cut: record.cut === undefined ? '' : JSON.stringify(record.cut),
  };
}

/** What a list shows: no plan, and no other long field. */
export const summaryColumns = [
  ...(['caller', 'id', 'agent', 'argv', 'cwd', 'cut', 'uid', 'gid', 'state', 'decision', 'rule'] as const),
  ...(['decision_reason', 'strategy', 'host', 'container', 'plan_hash', 'approval_id', 'approver'] as const),
  ...(['outcome', 'exit_code', 'exit_signal', 'reason', 'text', 'received_at', 'decided_at'] as const),
  ...(['started_at', 'ended_at', 'stdout_bytes', 'stderr_bytes', 'connection_count'] as const),
] as const satisfies readonly (keyof ExecutionRow)[];

const argvSchema = z.array(z.string());
const cutSchema = z.object({ bytes: z.number(), words: z.number(), sha256: z.string() });

export function fromRow(row: ExecutionRow): ExecutionRecord {
  return {
    caller: row.caller,
    id: row.id,
    agent: row.agent,
    argv: argvSchema.parse(JSON.parse(row.argv)),
    cwd: row.cwd,
    ...(row.cut !== '' && { cut: cutSchema.parse(JSON.parse(row.cut)) }),
    uid: row.uid,
    gid: row.gid,
    // Only `toRow` writes these two, from exactly these types.
    state: row.state as ExecutionState,
    decision: row.decision as ExecutionRecord['decision'],
    rule: row.rule,
    decisionReason: row.decision_reason,
    strategy: row.strategy,
    host: row.host,
    container: row.container,
    planHash: row.plan_hash,
    plan: row.plan,
    approvalId: row.approval_id,
    approver: row.approver,
    outcome: row.outcome,
    exitCode: row.exit_code,
    exitSignal: row.exit_signal,
    reason: row.reason,
    text: row.text,
    receivedAt: row.received_at,
    decidedAt: row.decided_at ?? undefined,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    stdoutBytes: row.stdout_bytes,
    stderrBytes: row.stderr_bytes,
    operands: row.operands,
    ...(row.connections !== '' && { connections: row.connections }),
    ...(row.connection_count > 0 && { connectionCount: row.connection_count }),
  };
}
