import { setImmediate as turn } from 'node:timers/promises';
import type { KeptRecording, WrittenRecording } from '../ports/recording.ts';
import type { Database } from './database.ts';
import { createMakeRoom } from './make-room.ts';
import type { OutputOf } from './output-rows.ts';
import { createSaves } from './saves.ts';

/** What commands wrote, with its timing. */
export interface Recordings {
  /** Resolves when it is written, or lost because it cannot be; room is made after that. */
  readonly save: (of: OutputOf, recording: WrittenRecording) => Promise<void>;
  readonly find: (caller: string, execution: string) => Promise<KeptRecording | undefined>;
}

/** The limit for all of them together; the oldest of the agent that has most is deleted first. */
const defaultMaxBytes = 1024 ** 3;

export function createRecordings(database: Database, maxBytes = defaultMaxBytes): Recordings {
  const { save, saved } = createSaves(createMakeRoom(database, 'recordings', maxBytes));
  return {
    save: (of, recording) => save(of, () => write(database, of, recording)),
    find: async (caller, execution) => {
      await saved(caller, execution);
      return await find(database, caller, execution);
    },
  };
}

async function write(
  database: Database,
  { caller, id: execution, agent }: OutputOf,
  { begunAt, terminal, parts }: WrittenRecording,
): Promise<void> {
  const { cols, rows } = terminal ?? { cols: 0, rows: 0 };
  const whose = { caller, execution, agent, saved_at: Date.now(), begun_at: begunAt, cols, rows };
  const all = parts.length === 0 ? [new Uint8Array()] : parts;
  // The first one last; between two of them others have their turn.
  for (let part = all.length - 1; part >= 0; part -= 1) {
    const bytes = all[part] ?? new Uint8Array();
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    await database
      .insertInto('recordings')
      .values({ ...whose, part, bytes: data.length, data })
      .execute();
    await turn();
  }
}

async function find(
  database: Database,
  caller: string,
  execution: string,
): Promise<KeptRecording | undefined> {
  const all = database
    .selectFrom('recordings')
    .where('caller', '=', caller)
    .where('execution', '=', execution);
  const partOf = (part: number) => all.selectAll().where('part', '=', part).executeTakeFirst();
  // The last one is written first, and the first one last.
  const last = await all.select('part').orderBy('part', 'desc').limit(1).executeTakeFirst();
  const first = await partOf(0);
  if (first === undefined || last === undefined) return undefined;
  const { begun_at: begunAt, cols, rows } = first;
  return {
    begunAt,
    terminal: cols === 0 ? undefined : { cols, rows },
    parts: async function* () {
      for (let part = 0; part <= last.part; part += 1) {
        const row = part === 0 ? first : await partOf(part);
        // Nobody takes what is there for the whole.
        if (row === undefined) throw new Error('the recording was deleted while it was read');
        yield row.data;
      }
    },
  };
}
