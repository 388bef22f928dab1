import type { RecordedOutput } from '../ports/recorded-output.ts';
import type { Database } from './database.ts';
import { createMakeRoom } from './make-room.ts';
import type { OutputOf, OutputRow } from './output-rows.ts';
import { createRecordings, type Recordings } from './recordings.ts';
import { createSaves } from './saves.ts';

/** The output of commands that the policy wanted to have recorded. */
export interface Outputs {
  /** Written later. Output that cannot be written is lost; its digest is in the audit in any case. */
  readonly save: (of: OutputOf, output: RecordedOutput) => void;
  readonly find: (caller: string, execution: string) => Promise<RecordedOutput | undefined>;
  /** The same with its timing. */
  readonly recordings: Recordings;
}

/** The limit for all of them together; the oldest of the agent that has most is deleted first. */
const defaultMaxBytes = 1024 ** 3;

export function createOutputs(database: Database, maxBytes = defaultMaxBytes): Outputs {
  const { save, saved } = createSaves(createMakeRoom(database, 'outputs', maxBytes));
  return {
    recordings: createRecordings(database),
    save: (of, output) => {
      const row = toRow(of, output);
      void save(of, () => database.insertInto('outputs').values(row).execute());
    },
    find: async (caller, execution) => {
      await saved(caller, execution);
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

function toRow({ caller, id: execution, agent }: OutputOf, { stdout, stderr }: RecordedOutput): OutputRow {
  const blobs = {
    stdout_head: Buffer.from(stdout.head),
    stdout_tail: Buffer.from(stdout.tail),
    stderr_head: Buffer.from(stderr.head),
    stderr_tail: Buffer.from(stderr.tail),
  };
  const bytes = Object.values(blobs).reduce((sum, { length }) => sum + length, 0);
  const dropped = { stdout_dropped: stdout.dropped, stderr_dropped: stderr.dropped };
  return { caller, execution, agent, saved_at: Date.now(), bytes, ...dropped, ...blobs };
}

function fromRow(row: OutputRow): RecordedOutput {
  return {
    stdout: { head: row.stdout_head, dropped: row.stdout_dropped, tail: row.stdout_tail },
    stderr: { head: row.stderr_head, dropped: row.stderr_dropped, tail: row.stderr_tail },
  };
}
