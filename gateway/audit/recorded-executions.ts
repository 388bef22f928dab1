import { stat } from 'node:fs/promises';
import { auditFiles } from '../../src/audit/audit-files.ts';
import { verifiedRecord } from '../../src/audit/chain.ts';
import { readLines } from '../../src/audit/read-lines.ts';
import { presentName } from '../ports/principal.ts';
import type {
  AuditRecord,
  DecisionRecord,
  InspectionRecord,
  OutcomeRecord,
  StartRecord,
  VerdictRecord,
} from './audit-record.ts';

/** What the end of the audit says about one execution that was allowed or asked about. */
export interface RecordedExecution {
  readonly decision?: Recorded<DecisionRecord>;
  readonly inspection?: Recorded<InspectionRecord>;
  readonly verdict?: Recorded<VerdictRecord>;
  readonly start?: Recorded<StartRecord>;
  readonly outcome?: Recorded<OutcomeRecord>;
}

/** `time` is RFC 3339. */
export type Recorded<Kind extends AuditRecord> = Kind & { readonly time: string };

/** Far more than is written while the history lags behind. */
const leastBytes = 16 * 1024 * 1024;
/** More than is written until a gateway whose history cannot be written refuses new work. */
const mostBytes = 256 * 1024 * 1024;

export function executionKey(caller: string, execution: string): string {
  return `${caller} ${execution}`;
}

/**
 * By caller and id: executions in the records after `from`, and in some records before it. If an execution began
 * before the part that is read, its decision is missing.
 */
export async function recordedExecutions(
  file: string,
  from: number,
): Promise<Map<string, RecordedExecution>> {
  const recorded = new Map<string, RecordedExecution>();
  for (const part of await lastParts(file, from)) {
    for await (const { text } of readLines(part.file, part.start)) {
      // If reading begins in the middle of a file, the first line may be incomplete.
      const record = verifiedRecord(text);
      if (record !== undefined) note(recorded, record as unknown as Recorded<AuditRecord>);
    }
  }
  return recorded;
}

interface Part {
  readonly file: string;
  readonly start: number;
}

/** The parts that have the records after `from`, oldest first; about `most` bytes of them. */
export async function lastParts(file: string, from: number, most = mostBytes): Promise<Part[]> {
  for (let bytes = leastBytes; ; bytes *= 4) {
    const { parts, isAll } = await partsOf(file, bytes);
    if (isAll || bytes >= most || (await firstRecord(parts)) <= from + 1) return parts;
  }
}

async function partsOf(file: string, bytes: number): Promise<{ parts: Part[]; isAll: boolean }> {
  const parts: Part[] = [];
  let left = bytes;
  for (const part of (await auditFiles(file)).reverse()) {
    if (left <= 0) return { parts, isAll: false };
    const { size } = await stat(part);
    parts.unshift({ file: part, start: Math.max(0, size - left) });
    left -= size;
  }
  return { parts, isAll: left >= 0 };
}

async function firstRecord(parts: readonly Part[]): Promise<number> {
  for (const { file, start } of parts) {
    for await (const { text } of readLines(file, start)) {
      const record = verifiedRecord(text);
      if (record !== undefined) return record.seq;
    }
  }
  return 0;
}

/** Leaves out denials: a denial is an end by itself, and may name the id of another caller's execution. */
function note(recorded: Map<string, RecordedExecution>, record: Recorded<AuditRecord>): void {
  if (!isOfLife(record)) return;
  if (record.type === 'decision' && record.decision === 'deny') return;
  const caller = presentName(record.caller);
  const key = executionKey(caller, record.execution);
  recorded.set(key, { ...recorded.get(key), [record.type]: { ...record, caller } });
}

type OfLife = Recorded<DecisionRecord | InspectionRecord | VerdictRecord | StartRecord | OutcomeRecord>;

const ofLife: ReadonlySet<string> = new Set<OfLife['type']>([
  'decision',
  'inspection',
  'verdict',
  'start',
  'outcome',
]);

function isOfLife(record: Recorded<AuditRecord>): record is OfLife {
  return ofLife.has(record.type);
}
