import { sql } from 'kysely';
import type { HistoryFilter, HistoryRow } from '../ports/execution-record.ts';
import type { Database, ExecutionRow } from './database.ts';
import { fromRow, summaryColumns } from './execution-row.ts';

/**
 * Rows are numbered in order of arrival, and an index on a time has the numbers in order: no page reads more rows
 * than it shows.
 */
export const rowNumber = sql<number>`rowid`;

/** Rows of a list, with their numbers: all that the filter lets through. */
export function selectHistory(database: Database, filter: Omit<HistoryFilter, 'behind' | 'limit'>) {
  const { agent, agents, decision, tool = '', since, until } = filter;
  let query = database.selectFrom('executions').select([...summaryColumns, rowNumber.as('row')]);
  if (agent !== '') query = query.where('agent', '=', agent);
  if (agents !== undefined) query = query.where('agent', 'in', agents);
  if (decision !== '') query = query.where('decision', '=', decision);
  if (tool !== '') query = query.where(sql<string>`tool`, '=', tool);
  if (since !== undefined) query = query.where('received_at', '>=', since);
  if (until !== undefined) query = query.where('received_at', '<', until);
  return query;
}

export function toHistoryRow({
  row,
  ...each
}: Omit<ExecutionRow, 'plan' | 'operands' | 'connections'> & { readonly row: number }): HistoryRow {
  const whole = fromRow({ ...each, plan: '', operands: '', connections: '' });
  const { plan: _plan, operands: _operands, ...record } = whole;
  return { record, receivedAt: record.receivedAt, row };
}
