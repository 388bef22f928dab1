import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { ClawrdenError } from '../../src/errors.ts';
import { createInTurn } from '../../src/in-turn.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { ExecutionResult, FirstOutput } from '../ports/detached.ts';
import { believedTime } from './believed-time.ts';
import type { Database } from './database.ts';
import type { DetachedRow } from './detached-row.ts';
import { createMakeRoom, deleteBefore } from './make-room.ts';

export interface Unfinished {
  readonly caller: string;
  readonly id: string;
  readonly input: Uint8Array | undefined;
}

/** Detached executions on the disk. Results are kept for an hour, 1 GiB in all; the oldest of who has most go first. */
export interface DetachedRows {
  /** Throws `id-duplicate` if the caller has such a one. */
  readonly add: (caller: string, id: string, input: Uint8Array | undefined) => Promise<void>;
  /** Nothing is known of its execution. */
  readonly forget: (caller: string, id: string) => Promise<void>;
  /** Its input is not kept any more. */
  readonly end: (caller: string, id: string, result: ExecutionResult) => Promise<void>;
  /** `pending`: it has not ended. Undefined if there is none, or none any more. */
  readonly find: (caller: string, id: string) => Promise<ExecutionResult | 'pending' | undefined>;
  readonly unfinished: () => Promise<Unfinished[]>;
  /** Removes what is kept no longer. */
  readonly sweep: () => Promise<void>;
}

export interface DetachedLimits {
  readonly keepMs: number;
  readonly bytes: number;
}

export const detachedLimits: DetachedLimits = { keepMs: 60 * 60 * 1000, bytes: 1024 ** 3 };

export function createDetachedRows(database: Database, limits = detachedLimits): DetachedRows {
  const where = (caller: string, id: string) => sql<boolean>`caller = ${caller} and id = ${id}`;
  const makeRoom = createMakeRoom(database, 'detached', limits.bytes);
  const inTurn = createInTurn();

  const oldest = async () => (await believedTime(database)) - limits.keepMs;

  async function sweep(): Promise<void> {
    await inTurn(async () => {
      while ((await deleteBefore(database, 'detached', await oldest())) > 0) await turn();
    });
    await makeRoom();
  }

  return {
    add: async (caller, id, input) => {
      const insert = database.insertInto('detached').values(newRow(caller, id, input));
      const { numInsertedOrUpdatedRows: added } = await insert
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      if (added === 0n) throw new ClawrdenError('id-duplicate', `execution ${id} was started before`);
    },
    forget: async (caller, id) =>
      void (await database.deleteFrom('detached').where(where(caller, id)).execute()),
    end: async (caller, id, result) => {
      await database.updateTable('detached').set(endOf(result)).where(where(caller, id)).execute();
      await sweep();
    },
    find: async (caller, id) => {
      const row = await database
        .selectFrom('detached')
        .selectAll()
        .where(where(caller, id))
        .executeTakeFirst();
      if (row === undefined) return undefined;
      if (row.ended_at === null) return 'pending';
      return row.ended_at < (await oldest()) ? undefined : toResult(row);
    },
    unfinished: async () => {
      const open = database.selectFrom('detached').select(['caller', 'id', 'no_input', 'input']);
      const rows = await open.where('ended_at', 'is', null).execute();
      return rows.map(({ caller, id, no_input: none, input }) => ({
        ...{ caller, id },
        input: none === 1 ? undefined : input,
      }));
    },
    sweep,
  };
}

const none = Buffer.alloc(0);

function newRow(caller: string, id: string, input: Uint8Array | undefined): DetachedRow {
  return {
    ...{ caller, id, started_at: Date.now(), ended_at: null, bytes: input?.length ?? 0 },
    ...{ no_input: input === undefined ? 1 : 0, outcome: '', plan_hash: '', host: '', container: '' },
    ...{ was_started: 0, stdout_truncated: 0, stderr_truncated: 0 },
    ...{ input: input === undefined ? none : Buffer.from(input), stdout: none, stderr: none },
    ...{ stdout_tail_from: 0, stdout_tail: none, stderr_tail_from: 0, stderr_tail: none },
  };
}

function endOf({ outcome, stdout, stderr, ...result }: ExecutionResult): Partial<DetachedRow> {
  const sizeOf = ({ bytes, tail }: FirstOutput) => bytes.length + (tail?.bytes.length ?? 0);
  return {
    ...{ ended_at: Date.now(), bytes: sizeOf(stdout) + sizeOf(stderr), input: none },
    ...{ outcome: JSON.stringify(outcome), plan_hash: result.planHash, host: result.host },
    ...{ container: result.container, was_started: Number(result.wasStarted) },
    ...{ stdout: stdout.bytes, stdout_truncated: Number(stdout.truncated) },
    ...{ stderr: stderr.bytes, stderr_truncated: Number(stderr.truncated) },
    ...{ stdout_tail_from: stdout.tail?.from ?? 0, stdout_tail: stdout.tail?.bytes ?? none },
    ...{ stderr_tail_from: stderr.tail?.from ?? 0, stderr_tail: stderr.tail?.bytes ?? none },
  };
}

function toResult(row: DetachedRow): ExecutionResult {
  return {
    // This program wrote it.
    outcome: JSON.parse(row.outcome) as Outcome,
    ...{
      planHash: row.plan_hash,
      host: row.host,
      container: row.container,
      wasStarted: row.was_started === 1,
    },
    stdout: toOutput(row.stdout, row.stdout_truncated, row.stdout_tail_from, row.stdout_tail),
    stderr: toOutput(row.stderr, row.stderr_truncated, row.stderr_tail_from, row.stderr_tail),
  };
}

function toOutput(bytes: Buffer, truncated: number, from: number, tail: Buffer): FirstOutput {
  return { bytes, truncated: truncated === 1, ...(tail.length > 0 && { tail: { from, bytes: tail } }) };
}
