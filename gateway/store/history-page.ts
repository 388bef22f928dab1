import { sql } from 'kysely';
import type { NextPiece } from '../../src/next-piece.ts';
import type { HistoryFilter, HistoryPlace, HistoryRow } from '../ports/execution-record.ts';
import type { Database } from './database.ts';
import { isWanted, rowNumber, selectRows, toHistoryRow, type Wanted, wantedOf } from './history-rows.ts';

/** In one piece so many parts are looked at, for so many places in all. */
const atOnce = { parts: 50, places: 2_500 };

/** And so many rows are read; those of an older version may be large, and no more of them are in memory at once. */
const rowsAtOnce = 50;

/**
 * The newest rows that a filter lets through. If some are deleted meanwhile, others are asked for: fewer than the limit
 * are the last ones.
 */
export async function* pageOfHistory(
  database: Database,
  filter: HistoryFilter,
  nextPiece: NextPiece,
): AsyncGenerator<HistoryRow> {
  let { behind, limit: left } = filter;
  for (let asked = left; left > 0; asked = left) {
    const places = await placesOf(database, { ...filter, ...(behind && { behind }), limit: left }, nextPiece);
    for (let at = 0; at < places.length; at += rowsAtOnce) {
      await nextPiece();
      const numbers = places.slice(at, at + rowsAtOnce).map(({ row }) => row);
      const rows = await selectRows(database).where(rowNumber, 'in', numbers).execute();
      yield* newestFirst(rows.map(toHistoryRow));
      left -= rows.length;
    }
    if (places.length < asked) return;
    behind = places.at(-1);
  }
}

/**
 * Where the newest rows are. An index has the rows of one agent, tool and decision in the order of a page; for several
 * agents at once the database would read all their rows and sort them. So each part of a filter is asked for by itself,
 * and no more of its index is read than the page shows.
 */
async function placesOf(
  database: Database,
  filter: HistoryFilter,
  nextPiece: NextPiece,
): Promise<readonly HistoryPlace[]> {
  const partsAtOnce = Math.min(atOnce.parts, Math.ceil(atOnce.places / filter.limit));
  let places: readonly HistoryPlace[] = [];
  for (const [at, part] of partsOf(filter).entries()) {
    if (at % partsAtOnce === partsAtOnce - 1) await nextPiece();
    const last = places.length < filter.limit ? undefined : places.at(-1);
    const more = await placesOfPart(database, part, filter, last);
    // What was decided meanwhile is met twice.
    const all = new Map([...places, ...more].map((place) => [place.row, place]));
    places = newestFirst([...all.values()]).slice(0, filter.limit);
  }
  return places;
}

const decisions = ['', 'allow', 'deny', 'ask'] as const;

/** Each has an index for itself; those of a tool tell its decisions apart. */
function partsOf(filter: HistoryFilter): Wanted[] {
  const { agent, agents, ...rest } = wantedOf(filter);
  const named = agent === undefined ? agents : [agent].filter((one) => agents?.includes(one) ?? true);
  const ofAgents = named === undefined ? [{}] : [...new Set(named)].map((one) => ({ agent: one }));
  const { tool, decision } = rest;
  if (tool === undefined) return ofAgents.map((one) => ({ ...one, ...rest }));
  const decided = decision === undefined ? decisions : [decision];
  return ofAgents.flatMap((one) => decided.map((each) => ({ ...one, ...rest, decision: each })));
}

/** No older than `last`, which is what the parts before left of the page. */
async function placesOfPart(
  database: Database,
  part: Wanted,
  { behind, limit }: HistoryFilter,
  last: HistoryPlace | undefined,
): Promise<readonly HistoryPlace[]> {
  const terms = [isWanted(part, 'index')];
  if (behind !== undefined) terms.push(sql`(received_at, rowid) < (${behind.receivedAt}, ${behind.row})`);
  if (last !== undefined) terms.push(sql`received_at >= ${last.receivedAt}`);
  const { rows } = await sql<HistoryPlace>`select received_at as "receivedAt", rowid as row
    from executions indexed by ${sql.ref(indexOf(part))} where ${sql.join(terms, sql` and `)}
    order by received_at desc, rowid desc limit ${limit}`.execute(database);
  return rows;
}

/** Named, because the database takes a range of times for so few rows that it chooses among indexes as they come. */
function indexOf({ agent, decision, tool }: Wanted): string {
  if (tool !== undefined) return agent === undefined ? 'executions_by_tool' : 'executions_by_agent_and_tool';
  if (agent !== undefined) return decision === undefined ? 'executions_by_agent' : 'executions_by_both';
  return decision === undefined ? 'executions_by_time' : 'executions_by_decision';
}

function newestFirst<Place extends HistoryPlace>(places: readonly Place[]): Place[] {
  return places.toSorted((a, b) => b.receivedAt - a.receivedAt || b.row - a.row);
}
