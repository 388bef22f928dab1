import { type Kysely, sql } from 'kysely';

/** What an owner has of a table that keeps things for all; kept up by triggers. */
export interface RoomSizeRow {
  /** The table's name. */
  room: string;
  /** An agent, or the caller of detached executions. */
  owner: string;
  bytes: number;
}

const kept = [
  ['outputs', 'agent'],
  ['recordings', 'agent'],
  ['detached', 'caller'],
] as const;

/** About what a row takes besides its blobs, with its share of the indexes. */
export const sizeIn = (row: string) => `${row}bytes + 256`;

/**
 * Whose a row is, and what each has: sizes are kept up by triggers, because to sum up all rows at each of them would
 * hold up everybody.
 */
export async function addRooms(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run(`create table room_sizes (room text not null, owner text not null, bytes bigint not null,
    primary key (room, owner))`);
  for (const table of ['outputs', 'recordings']) {
    await run(`alter table ${table} add column agent text not null default ''`);
    await run(`update ${table} set agent = executions.agent from executions
      where executions.caller = ${table}.caller and executions.id = ${table}.execution`);
    await run(`create index ${table}_by_agent on ${table} (agent, saved_at)`);
  }
  await run('create index detached_by_caller on detached (caller, ended_at)');
  for (const [table, owner] of kept) await countRows(run, table, owner);
}

async function countRows(
  run: (statement: string) => Promise<unknown>,
  table: string,
  owner: string,
): Promise<void> {
  await run(
    `insert into room_sizes select '${table}', ${owner}, sum(${sizeIn('')}) from ${table} group by ${owner}`,
  );
  const add = `insert into room_sizes values ('${table}', new.${owner}, ${sizeIn('new.')})
    on conflict (room, owner) do update set bytes = bytes + excluded.bytes;`;
  const those = `room = '${table}' and owner = old.${owner}`;
  const subtract = `update room_sizes set bytes = bytes - (${sizeIn('old.')}) where ${those};
    delete from room_sizes where ${those} and bytes <= 0;`;
  const trigger = (name: string, event: string, body: string) =>
    run(`create trigger ${table}_${name} after ${event} on ${table} begin ${body} end`);
  await trigger('grow', 'insert', add);
  await trigger('shrink', 'delete', subtract);
  await trigger('change', `update of ${owner}, bytes`, `${subtract} ${add}`);
}
