import { type Kysely, sql } from 'kysely';

export interface AssignmentRow {
  agent: string;
  tool: string;
  action: string;
  set_by: string;
  set_at: number;
}

export async function createAssignments(database: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`create table assignments (agent text not null, tool text not null, action text not null,
      set_by text not null, set_at bigint not null, primary key (agent, tool))`)
    .execute(database);
}
