import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { HistoryFilter, HistoryPlace, HistoryRow } from '../ports/execution-record.ts';
import type { Database } from './database.ts';
import { isWanted, rowNumber, selectRows, toHistoryRow, type Wanted } from './history-rows.ts';

/** So many parts are looked at in one turn of the event loop. */
const partsAtOnce = 50;

/**
 * The newest rows that a filter lets through. An index has the rows of one agent, tool and decision in the order of a
 * page; for several agents at once the database would read all their rows and sort them. So each part of a filter is
 * asked for by itself, and no more rows of it are read than the page shows. If some are deleted meanwhile, it is asked
 * again: a short page is the last one.
 */
export async function pageOfHistory(database: Database, filter: HistoryFilter): Promise<HistoryRow[]> {
  let places: readonly HistoryPlace[] = [];
  for (const [at, part] of partsOf(filter).entries()) {
    if (at % partsAtOnce === partsAtOnce - 1) await turn();
    const last = places.length < filter.limit ? undefined : places.at(-1);
    const more = await placesOf(database, part, filter, last);
    places = newestFirst([...places, ...more]).slice(0, filter.limit);
  }
  if (places.length === 0) return [];
  const numbers = places.map(({ row }) => row);
  const rows = await selectRows(database).where(rowNumber, 'in', numbers).execute();
  return rows.length < places.length ? pageOfHistory(database, filter) : newestFirst(rows.map(toHistoryRow));
}

const decisions = ['', 'allow', 'deny', 'ask'] as const;

/** Each has an index for itself; those of a tool tell its decisions apart. */
function partsOf({ agent, agents, decision, tool = '', since, until }: HistoryFilter): Wanted[] {
  const named = agent === '' ? agents : [agent].filter((one) => agents?.includes(one) ?? true);
  const ofAgents = named === undefined ? [{}] : [...new Set(named)].map((one) => ({ agent: one }));
  const times = { since, until };
  if (tool === '') return ofAgents.map((one) => ({ ...one, ...(decision !== '' && { decision }), ...times }));
  const decided = decision === '' ? decisions : [decision];
  return ofAgents.flatMap((one) => decided.map((each) => ({ ...one, tool, decision: each, ...times })));
}

/** No older than `last`, which is what the parts before left of the page. */
async function placesOf(
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
