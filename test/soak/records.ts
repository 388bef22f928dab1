import type { KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { rotatedFiles } from '../../src/audit/audit-files.ts';
import { verifyAudit } from '../../src/audit/verify-audit.ts';

export interface AuditLine {
  readonly type: string;
  readonly time: string;
  readonly event?: string;
  readonly execution?: string;
  readonly decision?: string;
  readonly argv?: readonly string[];
  readonly outcome?: string;
  readonly code?: number;
  readonly reason?: string;
}

/** One row of `clawrden history --json`; only compared fields have a type. */
export interface HistoryRow {
  readonly id: string;
  readonly receivedAt: string;
  readonly state: string;
  readonly outcome: string;
  readonly exitCode: number;
  readonly reason: string;
}

export interface AuditSnapshot {
  readonly lines: readonly AuditLine[];
  /** The first record that breaks the chain. */
  readonly problem: string;
}

/**
 * The longest time of a command, with the faults of its chain: an exchange with a host whose link was cut waits up to 120 s
 * for its silent carrier (`docs/workspaces.md`), and commands of the same workspace wait for it.
 */
export const openForMs = 180_000;

/** Reads the log up to its last whole line, while the gateway continues to write. */
export async function readAudit(file: string, snapshot: string, key: KeyObject): Promise<AuditSnapshot> {
  const text = await readFile(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  await writeFile(snapshot, whole);
  const { problem } = await verifyAudit([...(await rotatedFiles(file)), snapshot], { key });
  const lines = whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditLine);
  return { lines, problem: problem === undefined ? '' : `audit:${problem.line}: ${problem.why}` };
}

/** Faults in the executions that the audit records; a running command may have no end, and one that is refused has none. */
export function wrongLives(lines: readonly AuditLine[], now: number): string[] {
  const lives = Map.groupBy(
    lines.filter(({ execution }) => execution !== undefined),
    ({ execution }) => execution ?? '',
  );
  const restarts = lines.flatMap(({ type, event, time }) =>
    type === 'lifecycle' && event === 'start' ? [Date.parse(time)] : [],
  );
  return [...lives].flatMap(([id, life]) => wrongLife(life, now, restarts).map((what) => `${id}: ${what}`));
}

function wrongLife(life: readonly AuditLine[], now: number, restarts: readonly number[]): string[] {
  const count = (type: string) => life.filter((line) => line.type === type).length;
  const first = life[0];
  const wrong: string[] = [];
  if (!isLostUndecided(life) && (count('decision') !== 1 || first?.type !== 'decision'))
    wrong.push(`${count('decision')} decisions, and a ${first?.type} first`);
  if (count('start') > 1) wrong.push(`${count('start')} starts`);
  if (count('outcome') > 1) wrong.push(`${count('outcome')} ends`);
  const decided = Date.parse(first?.time ?? '');
  if (
    count('outcome') === 0 &&
    first?.decision !== 'deny' &&
    now - decided > openForMs &&
    !restarts.some((time) => time > decided)
  )
    wrong.push('no end');
  return wrong;
}

/** A gateway was killed between the request and its decision: the next one records only that end. */
function isLostUndecided(life: readonly AuditLine[]): boolean {
  return life.length === 1 && life[0]?.type === 'outcome' && life[0].reason === 'gateway-lost';
}

/** Executions of which the history has another end than the audit. */
export function wrongHistory(lines: readonly AuditLine[], rows: readonly HistoryRow[]): string[] {
  const ends = new Map(
    lines.filter(({ type }) => type === 'outcome').map((line) => [line.execution ?? '', line]),
  );
  return rows.flatMap(({ id, state, outcome, exitCode, reason }) => {
    const end = ends.get(id);
    if (end === undefined || state !== 'ended') return [];
    const same = end.outcome === outcome && end.code === exitCode && end.reason === reason;
    const told = `${outcome} ${exitCode} ${reason}`;
    return same ? [] : [`${id}: ${end.outcome} ${end.code} ${end.reason} in the audit, ${told} in history`];
  });
}
