import { type RawBuilder, sql } from 'kysely';
import type { HistoryFilter, HistoryRow } from '../ports/execution-record.ts';
import type { Database, ExecutionRow } from './database.ts';
import { fromRow, summaryColumns } from './execution-row.ts';

/** Rows are numbered in order of arrival, and an index on a time has the numbers in order. */
export const rowNumber = sql<number>`rowid`;

/** Rows of a list, with their numbers. */
export function selectRows(database: Database) {
  return database.selectFrom('executions').select([...summaryColumns, rowNumber.as('row')]);
}

/** What rows must have; of what is absent they may have anything. */
export interface Wanted {
  readonly agent?: string;
  readonly agents?: readonly string[];
  readonly decision?: string;
  readonly tool?: string;
  /** Received then or later. */
  readonly since: number | undefined;
  /** Received before. */
  readonly until?: number | undefined;
}

/** In a filter an empty text stands for anything. */
export function wantedOf(filter: Omit<HistoryFilter, 'behind' | 'limit'>): Wanted {
  const { agent, agents, decision, tool = '', since, until } = filter;
  return {
    ...(agent !== '' && { agent }),
    ...(agents !== undefined && { agents }),
    ...(decision !== '' && { decision }),
    ...(tool !== '' && { tool }),
    since,
    until,
  };
}

/**
 * With `by` a row's number a column has a `+` before it, and chooses no index: the database would rather go through all
 * rows of an agent than look some up.
 */
export function isWanted(
  { agent, agents, decision, tool, since, until }: Wanted,
  by: 'index' | 'number',
): RawBuilder<boolean> {
  const column = (name: string) => sql`${sql.raw(by === 'index' ? '' : '+')}${sql.ref(name)}`;
  const terms = [sql`true`];
  if (agent !== undefined) terms.push(sql`${column('agent')} = ${agent}`);
  if (agents !== undefined)
    terms.push(sql`${column('agent')} in (select value from json_each(${JSON.stringify(agents)}))`);
  if (decision !== undefined) terms.push(sql`${column('decision')} = ${decision}`);
  if (tool !== undefined) terms.push(sql`${column('tool')} = ${tool}`);
  if (since !== undefined) terms.push(sql`${column('received_at')} >= ${since}`);
  if (until !== undefined) terms.push(sql`${column('received_at')} < ${until}`);
  return sql<boolean>`(${sql.join(terms, sql` and `)})`;
}

export function toHistoryRow({
  row,
  ...each
}: Omit<ExecutionRow, 'plan' | 'operands' | 'connections'> & { readonly row: number }): HistoryRow {
  const whole = fromRow({ ...each, plan: '', operands: '', connections: '' });
  const { plan: _plan, operands: _operands, ...record } = whole;
  return { record, receivedAt: record.receivedAt, row };
}
