import type { BelievedTimeRow } from './believed-time-row.ts';
import type { Database } from './database.ts';

const dayMs = 24 * 3_600_000;
const everyMs = 60_000;

/** Never ahead of the wall clock. */
export async function believedTime(database: Database): Promise<number> {
  const row = await database.selectFrom('believed_time').select('at').executeTakeFirst();
  return Math.min(row?.at ?? (await newestOf(database)), Date.now());
}

/** Of a gateway from before it is the time of its newest execution; where none has run the wall clock is all there is. */
async function newestOf(database: Database): Promise<number> {
  const newest = database.selectFrom('executions').select(({ fn }) => fn.max('received_at').as('at'));
  return (await newest.executeTakeFirst())?.at ?? Number.POSITIVE_INFINITY;
}

type Believed = Omit<BelievedTimeRow, 'one'>;

/** `passed` milliseconds later. A wall clock that is behind is believed at once, one that is ahead after a day. */
export function goneOn({ at, ahead, ran }: Believed, passed: number, wall: number): Believed {
  const now = Math.min(at + passed, wall);
  const least = Math.min(ahead, wall - now);
  if (ran + passed < dayMs) return { at: now, ahead: least, ran: ran + passed };
  return { at: now + least, ahead: wall - now - least, ran: 0 };
}

/** Now and every minute until the returned function is called. The time that no gateway runs has passed by the wall clock only. */
export function keepBelievedTime(database: Database): () => void {
  let last = performance.now();
  const goOn = async () => {
    const begun = performance.now();
    const wall = Date.now();
    const row = await database.selectFrom('believed_time').selectAll().executeTakeFirst();
    // Asked for only once: the row is there from then on.
    const before = row ?? { at: Math.min(await newestOf(database), wall), ahead: 0, ran: 0 };
    const next = goneOn(before, Math.round(begun - last), wall);
    const insert = database.insertInto('believed_time').values({ one: 1, ...next });
    await insert.onConflict((conflict) => conflict.column('one').doUpdateSet(next)).execute();
    last = begun;
  };
  // If it cannot be written, more is kept.
  const tell = () => void goOn().catch(() => {});
  const timer = setInterval(tell, everyMs).unref();
  tell();
  return () => clearInterval(timer);
}
