import { sql } from 'kysely';
import { lineHolds } from '../../src/line-search.ts';
import type { NextPiece } from '../../src/next-piece.ts';
import type { FoundRows, HistorySearch } from '../ports/execution-record.ts';
import type { Database } from './database.ts';
import { isWanted, selectRows, toHistoryRow, wantedOf } from './history-rows.ts';
import { codeOfAgent } from './search-tables.ts';

/** So many rows are looked at in one piece, and for one page. */
const examined = { atOnce: 250, atMost: 2_000 } as const;

/** Numbers of rows may be out of order by so much: a row is written when it can be. */
const slackMs = 3_600_000;

const none: FoundRows = { rows: [], below: undefined };

/**
 * Rows whose command line has the text, the latest first. The index knows the lines that have some of its trigrams, of
 * these agents; the rest is looked at in the rows themselves, of a bounded number.
 */
export async function searchHistory(
  database: Database,
  search: HistorySearch,
  nextPiece: NextPiece,
): Promise<FoundRows> {
  const match = await matchOf(database, search);
  if (match === undefined) return none;
  const rows: FoundRows['rows'][number][] = [];
  const numbers = await candidates(database, match, search);
  for (let at = 0; at < numbers.length; at += examined.atOnce) {
    await nextPiece();
    const some = numbers.slice(at, at + examined.atOnce);
    for (const row of await rowsOf(database, some, search)) {
      if (!lineHolds(row.record.argv, search.q)) continue;
      rows.push(row);
      if (rows.length === search.limit) return { rows, below: row.row };
    }
    if (await isBefore(database, some.at(-1), search.since)) return { rows, below: undefined };
  }
  return { rows, below: numbers.length < examined.atMost ? undefined : numbers.at(-1) };
}

async function rowsOf(database: Database, numbers: readonly number[], search: HistorySearch) {
  const rows = await selectRows(database)
    .where(isWanted(wantedOf(search), 'number'))
    .where(sql<boolean>`rowid in (select value from json_each(${JSON.stringify(numbers)}))`)
    .orderBy(sql`rowid`, 'desc')
    .execute();
  return rows.map(toHistoryRow);
}

/** The index goes through its lists from the newest row on each time it is asked: it is asked once for a page. */
async function candidates(database: Database, match: string, search: HistorySearch): Promise<number[]> {
  const below = search.below ?? (await firstBelow(database, search.until));
  const { rows } = await sql<{ row: number }>`select rowid as row from command_lines
    where command_lines match ${match} and rowid < ${below} order by rowid desc limit ${examined.atMost}`.execute(
    database,
  );
  return rows.map(({ row }) => row);
}

async function firstBelow(database: Database, until: number | undefined): Promise<number> {
  if (until === undefined) return Number.MAX_SAFE_INTEGER;
  const { rows } = await sql<{ row: number }>`select rowid as row from executions
    where received_at < ${until + slackMs} order by received_at desc, rowid desc limit 1`.execute(database);
  return (rows[0]?.row ?? 0) + 1;
}

async function isBefore(
  database: Database,
  row: number | undefined,
  since: number | undefined,
): Promise<boolean> {
  if (since === undefined || row === undefined) return false;
  const { rows } = await sql<{
    at: number;
  }>`select received_at as at from executions where rowid = ${row}`.execute(database);
  return rows[0] !== undefined && rows[0].at < since - slackMs;
}

/** Enough to leave few lines; each is another list of the index to go through. */
const mostTrigrams = 8;

/** In the index's own language; undefined if none of the agents has ever run anything. */
async function matchOf(database: Database, { q, agent, agents }: HistorySearch): Promise<string | undefined> {
  const line = `line : (${trigramsOf(q).map(quoted).join(' AND ')})`;
  const only = agent === '' ? agents : [agent];
  if (only === undefined) return line;
  const { rows } = await sql<{ number: number }>`select number from searched_agents
    where agent in (select value from json_each(${JSON.stringify(only)}))`.execute(database);
  const whose = rows.map(({ number }) => quoted(codeOfAgent(number)));
  return whose.length === 0 ? undefined : `${line} AND whose : (${whose.join(' OR ')})`;
}

/** Some of them, from all over the text. */
function trigramsOf(text: string): string[] {
  const characters = Array.from(text);
  const last = characters.length - 3;
  const count = Math.min(mostTrigrams, last + 1);
  const at = (index: number) => (count === 1 ? 0 : Math.round((index * last) / (count - 1)));
  return Array.from({ length: count }, (_, index) => characters.slice(at(index), at(index) + 3).join(''));
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
