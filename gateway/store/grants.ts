import type { RecordableCommand } from '../../src/recordable-command.ts';
import type { Grant } from '../ports/grant.ts';
import type { Database, GrantRow } from './database.ts';

/** Between names, none of which has it. */
const between = ', ';

export async function keepGrant(database: Database, grant: Grant): Promise<void> {
  const { id, agent, planHash: plan_hash, deed, rule, execution, since: given_at, until } = grant;
  const said = {
    granted_by: grant.by.join(between),
    stamps: grant.stamps.join(between),
    command: JSON.stringify(grant.command),
  };
  const row = { id, agent, plan_hash, deed, rule, execution, given_at, until, ...said };
  await database.insertInto('grants').values(row).execute();
}

export async function dropGrant(database: Database, id: string): Promise<void> {
  await database.deleteFrom('grants').where('id', '=', id).execute();
}

export function grantOfRow(row: GrantRow): Grant {
  const { id, agent, plan_hash: planHash, deed, rule, execution, given_at: since, until } = row;
  const by = row.granted_by.split(between);
  // This program wrote it; an earlier version had none.
  const command = JSON.parse(row.command || '{"argv":[],"cwd":""}') as RecordableCommand;
  const stamps = row.stamps === '' ? [] : row.stamps.split(between);
  return { id, agent, planHash, deed, command, rule, execution, by, stamps, since, until };
}

export async function dropGrantsOfOthers(database: Database, agents: readonly string[]): Promise<void> {
  await database.deleteFrom('grants').where('agent', 'not in', agents).execute();
}
