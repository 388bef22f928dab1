import { sql } from 'kysely';
import type { RecordedOutput } from '../ports/recorded-output.ts';
import type { Database } from './database.ts';
import type { OutputRow } from './output-rows.ts';
import { createRecordings, type Recordings } from './recordings.ts';

/** The output of commands that the policy wanted to have recorded. */
export interface Outputs {
  /** Written later. Output that cannot be written is lost; its digest is in the audit in any case. */
  readonly save: (caller: string, execution: string, output: RecordedOutput) => void;
  readonly find: (caller: string, execution: string) => Promise<RecordedOutput | undefined>;
  /** The same with its timing. */
  readonly recordings: Recordings;
}

/** The limit for all of them together; the oldest are deleted first. */
const defaultMaxBytes = 1024 ** 3;
const batch = 16;

export function createOutputs(database: Database, maxBytes = defaultMaxBytes): Outputs {
  let total = totalOf(database);
  return {
    recordings: createRecordings(database),
    save: (caller, execution, output) => {
      const row = toRow(caller, execution, output);
      total = total
        .then(async (before) => {
          await database.insertInto('outputs').values(row).execute();
          const after = before + row.bytes;
          return after > maxBytes ? await makeRoom(database, maxBytes) : after;
        })
        .catch(() => totalOf(database).catch(() => 0));
    },
    find: async (caller, execution) => {
      await total;
      const row = await database
        .selectFrom('outputs')
        .selectAll()
        .where('caller', '=', caller)
        .where('execution', '=', execution)
        .executeTakeFirst();
      return row && fromRow(row);
    },
  };
}

async function totalOf(database: Database): Promise<number> {
  const { rows } = await sql<{ total: number | null }>`select sum(bytes) as total from outputs`.execute(
    database,
  );
  return rows[0]?.total ?? 0;
}

/** Resolves with the size of the rest. */
async function makeRoom(database: Database, maxBytes: number): Promise<number> {
  let total = await totalOf(database);
  while (total > maxBytes) {
    await sql`delete from outputs where rowid in
      (select rowid from outputs order by saved_at limit ${batch})`.execute(database);
    total = await totalOf(database);
  }
  return total;
}

function toRow(caller: string, execution: string, { stdout, stderr }: RecordedOutput): OutputRow {
  const blobs = {
    stdout_head: Buffer.from(stdout.head),
    stdout_tail: Buffer.from(stdout.tail),
    stderr_head: Buffer.from(stderr.head),
    stderr_tail: Buffer.from(stderr.tail),
  };
  const bytes = Object.values(blobs).reduce((sum, { length }) => sum + length, 0);
  const dropped = { stdout_dropped: stdout.dropped, stderr_dropped: stderr.dropped };
  return { caller, execution, saved_at: Date.now(), bytes, ...dropped, ...blobs };
}

function fromRow(row: OutputRow): RecordedOutput {
  return {
    stdout: { head: row.stdout_head, dropped: row.stdout_dropped, tail: row.stdout_tail },
    stderr: { head: row.stderr_head, dropped: row.stderr_dropped, tail: row.stderr_tail },
  };
}
