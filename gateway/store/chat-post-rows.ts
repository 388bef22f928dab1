import { type Generated, type Kysely, type Selectable, sql } from 'kysely';

/** What one chat is told: a question, which is shown as it is now, or a note, which is told once. */
export interface ChatPostTableRow {
  /** In the order of adding. */
  row: Generated<number>;
  chat: string;
  id: string;
  /** Empty if it is about none. Agents share what a chat keeps. */
  agent: string;
  kind: 'question' | 'note';
  /** Empty if it is about no question. */
  approval: string;
  /** JSON. */
  body: string;
  bytes: number;
  /** How the question ended, as JSON; empty if it waits. */
  ended: string;
  /** The message that shows it, as the service names it; empty before it was posted. Several may share one. */
  message: string;
  /** Counts its changes; it is shown as it is if `shown` is the same. */
  revision: number;
  shown: number;
  made_at: number;
  /** Since when its last change waits, and when it is tried again. */
  due_since: number;
  next_at: number;
  tries: number;
}

export type ChatPostRow = Selectable<ChatPostTableRow>;

/** Agents share what a chat keeps; the indexes are for summing up what each has without reading what it says. */
export async function addPostAgents(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run(`alter table chat_posts add column agent text not null default ''`);
  await run('create index chat_posts_by_agent on chat_posts (chat, agent, row, bytes)');
  await run('create index hook_deliveries_by_agent on hook_deliveries (hook, agent, row, bytes)');
}

export async function createChatPosts(database: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(database);
  await run(`create table chat_posts (row integer primary key autoincrement, chat text not null, id text not null,
    kind text not null, approval text not null, body text not null, bytes bigint not null, ended text not null,
    message text not null, revision bigint not null, shown bigint not null, made_at bigint not null,
    due_since bigint not null, next_at bigint not null, tries bigint not null, unique (chat, id))`);
  await run('create index chat_posts_by_time on chat_posts (chat, next_at) where shown < revision');
  await run('create index chat_posts_by_message on chat_posts (chat, message)');
  await run('create index chat_posts_by_approval on chat_posts (chat, approval)');
}
