import { endOf } from './commands.ts';
import type { Ended } from './load.ts';
import type { AuditLine, HistoryRow } from './records.ts';

/** A program that was stopped, and another version of it that was started in its place. */
export interface Change {
  readonly name: string;
  /** What its stop may cost. `documented`: everything that was there meanwhile may end with a documented code. */
  readonly costs: 'what runs' | 'what runs on for 30 s' | 'documented';
  /** Milliseconds since 1970. */
  readonly stoppedAt: number;
  readonly servedAt: number;
}

/** A killed gateway is missed a moment later; what its relay sends it meanwhile is lost, too. */
const noticedMs = 500;
/** A relay keeps a command for 10 s if no gateway answers. */
const heldMs = 10_000;
/** A gateway that is asked to end gives what runs 30 s. */
const drainedMs = 29_000;
/** For so long a command's last record may be on its way to the disk. */
const flushedMs = 10_000;

/** Commands that did not run to their own end, which no change explains. */
export function wrongLosses(ended: readonly Ended[], changes: readonly Change[]): string[] {
  return ended
    .filter((one) => endOf(one) !== 'done' && !changes.some((change) => explains(change, one)))
    .map((one) => `${one.token}: lost, and no change of a version explains it: ${one.stderr.trim()}`);
}

function explains({ costs, stoppedAt, servedAt }: Change, one: Ended): boolean {
  const end = endOf(one);
  // The machine is too busy to start a container within 10 s: that says nothing of the gateway.
  if (end === 'start-timeout') return true;
  if (one.typedAt > servedAt || one.endedAt < stoppedAt) return false;
  if (costs === 'documented') return true;
  if (end === 'gateway-unreachable' && one.ms >= heldMs) return true;
  if (one.typedAt > stoppedAt + noticedMs) return false;
  // Of one that was on its way nothing is known at the relay but that the connection broke.
  return costs === 'what runs'
    ? end === 'gateway-lost' || end === 'gateway-unreachable'
    : end === 'canceled' && one.endedAt > stoppedAt + drainedMs;
}

/**
 * Commands that said 0 and have not exactly one execution that ended with 0. `lines`: of the audit, after every end that
 * is in `ended`; what was typed before its first line stands in an earlier file. Without `changes` parts of the chain
 * fail, and the end that a part was told may be another than the one that was recorded.
 */
export function wrongRecords(
  ended: readonly Ended[],
  lines: readonly AuditLine[],
  changes: readonly Change[] | undefined,
  now: number,
): string[] {
  const first = Date.parse(lines[0]?.time ?? '');
  const ran = Map.groupBy(
    lines.filter(({ type, decision }) => type === 'decision' && decision === 'allow'),
    ({ argv }) => argv?.[2] ?? '',
  );
  const ends = new Map(
    lines.filter(({ type }) => type === 'outcome').map((line) => [line.execution ?? '', line]),
  );
  const settled = ended.filter(({ typedAt, endedAt }) => typedAt > first && endedAt < now - flushedMs);
  return settled.flatMap((one) => {
    const executions = ran.get(one.token) ?? [];
    if (executions.length > 1) return [`${one.token}: ${executions.length} executions`];
    if (endOf(one) !== 'done') return [];
    const [execution] = executions;
    if (execution === undefined) return [`${one.token}: it said 0, and the audit has no execution of it`];
    const end = ends.get(execution.execution ?? '');
    if (changes === undefined && end !== undefined) return [];
    if (end?.outcome === 'exited' && end.code === 0) return [];
    // Its end was told, and its record was not on the disk yet when the gateway was killed.
    if (end?.reason === 'gateway-lost' && changes?.some((change) => isCut(change, one))) return [];
    return [`${one.token}: it said 0, and the audit ${end?.reason || end?.outcome || 'has no end of it'}`];
  });
}

function isCut({ costs, stoppedAt }: Change, { endedAt }: Ended): boolean {
  return costs !== 'what runs on for 30 s' && Math.abs(endedAt - stoppedAt) < flushedMs;
}

/** Executions that ended and have no end in the history. `rows`: its newest ones, read after the audit. */
export function missingRows(lines: readonly AuditLine[], rows: readonly HistoryRow[], now: number): string[] {
  const listed = new Set(rows.filter(({ state }) => state === 'ended').map(({ id }) => id));
  const oldest = Math.min(...rows.map(({ receivedAt }) => Date.parse(receivedAt)));
  const ended = new Set(
    lines
      .filter(({ type, time }) => type === 'outcome' && Date.parse(time) < now - flushedMs)
      .map(({ execution = '' }) => execution),
  );
  return lines
    .filter(({ type, time }) => type === 'decision' && Date.parse(time) > oldest + flushedMs)
    .map(({ execution = '' }) => execution)
    .filter((id) => ended.has(id) && !listed.has(id))
    .map((id) => `${id}: it ended, and the history does not say so`);
}
