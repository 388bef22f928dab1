import { sql } from 'kysely';
import { steadyClock } from '../../src/steady-clock.ts';
import { isBehind } from './agents-turn.ts';
import type { ChatPostRow } from './chat-post-rows.ts';
import type { Database } from './database.ts';
import { keepNewest, type QueueBounds } from './keep-newest.ts';

/** What chats show and are to be told, bounded for each of them; it outlives the gateway. */
export interface ChatPosts {
  /** The clock of their times, which no jump of the wall clock moves. */
  readonly now: () => number;
  /** Resolves with how many older ones had to go. Does nothing if there is one of this id. */
  readonly add: (chat: string, post: NewChatPost) => Promise<number>;
  /** What is shown of the question is another text now. */
  readonly change: (chat: string, approval: string, change: (body: string) => string) => Promise<void>;
  /** The question waits no more: what was posted is to be edited, and what was not is not told. */
  readonly end: (chat: string, approval: string, ended: string) => Promise<void>;
  /**
   * What is to be told or edited now, `chatBatch` at most: the next agent's first, by name behind `last` and then from
   * the beginning (no agent's has an empty name), and then the longest due.
   */
  readonly due: (chat: string, last?: string) => Promise<ChatPostRow[]>;
  /** When the next is due; undefined if nothing is. */
  readonly nextAt: (chat: string) => Promise<number | undefined>;
  /** All that one message shows, in the order of adding. */
  readonly ofMessage: (chat: string, message: string) => Promise<ChatPostRow[]>;
  /** What these chats were told of a question: it came, it escalated. */
  readonly ofQuestion: (chats: readonly string[], approval: string) => Promise<ChatPostRow[]>;
  /** The message shows them as they were when they were read. What has not to be edited any more is forgotten. */
  readonly shown: (rows: readonly ChatPostRow[], message: string) => Promise<void>;
  readonly later: (rows: readonly ChatPostRow[], nextAt: number) => Promise<void>;
  readonly drop: (rows: readonly ChatPostRow[]) => Promise<void>;
  /**
   * Deletes what is for chats that gateway.yaml does not have. Once, at a start: what waits is due, because the clock may
   * have been set back.
   */
  readonly keepOnly: (chats: readonly string[]) => Promise<void>;
}

export type NewChatPost = Pick<ChatPostRow, 'id' | 'agent' | 'kind' | 'approval' | 'body'>;

export const chatBounds = { rows: 1000, bytes: 32 * 1024 ** 2 } as const;
/** Of their plans, which are as large as a question may be, no more is held in memory. */
export const chatBatch = 10;

export function createChatPosts(
  database: Database,
  bounds: QueueBounds = chatBounds,
  now = steadyClock(),
): ChatPosts {
  const added = { ...incoming(database, bounds, now), ...changes(database, now) };
  return { now, ...added, ...readers(database, now), ...outcomes(database) };
}

type Now = ChatPosts['now'];

function incoming(
  database: Database,
  bounds: QueueBounds,
  now: Now,
): Pick<ChatPosts, 'add' | 'end' | 'keepOnly'> {
  return {
    keepOnly: async (chats) => {
      const all = database.deleteFrom('chat_posts');
      await (chats.length === 0 ? all : all.where('chat', 'not in', chats)).execute();
      const at = now();
      const times = { next_at: at, due_since: sql<number>`min(due_since, ${at})` };
      await database.updateTable('chat_posts').set(times).where('next_at', '>', at).execute();
    },
    add: (chat, post) =>
      database.transaction().execute(async (step) => {
        const at = now();
        const times = { made_at: at, due_since: at, next_at: at, tries: 0 };
        const rest = { bytes: Buffer.byteLength(post.body), ended: '', message: '', revision: 1, shown: 0 };
        await step
          .insertInto('chat_posts')
          .values({ chat, ...post, ...rest, ...times })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        return keepNewest(step, 'chat_posts', chat, bounds);
      }),
    end: (chat, approval, ended) =>
      database.transaction().execute(async (step) => {
        const at = now();
        const untold = step
          .deleteFrom('chat_posts')
          .where('chat', '=', chat)
          .where('approval', '=', approval);
        await untold.where((row) => row.or([row('message', '=', ''), row('kind', '=', 'note')])).execute();
        await step
          .updateTable('chat_posts')
          .set({ ended, revision: sql`revision + 1`, due_since: at, next_at: at, tries: 0 })
          .where('chat', '=', chat)
          .where('approval', '=', approval)
          .where('ended', '=', '')
          .execute();
      }),
  };
}

function changes(database: Database, now: Now): Pick<ChatPosts, 'change'> {
  return {
    change: (chat, approval, change) =>
      database.transaction().execute(async (step) => {
        const at = now();
        const rows = await step
          .selectFrom('chat_posts')
          .selectAll()
          .where('chat', '=', chat)
          .where('approval', '=', approval)
          .where('kind', '=', 'question')
          .where('ended', '=', '')
          .limit(chatBatch)
          .execute();
        for (const { row, body: before, revision } of rows) {
          const body = change(before);
          if (body === before) continue;
          const next = { body, bytes: Buffer.byteLength(body), revision: revision + 1 };
          const due = { due_since: at, next_at: at, tries: 0 };
          await step
            .updateTable('chat_posts')
            .set({ ...next, ...due })
            .where('row', '=', row)
            .execute();
        }
      }),
  };
}

function readers(
  database: Database,
  now: Now,
): Pick<ChatPosts, 'due' | 'nextAt' | 'ofMessage' | 'ofQuestion'> {
  return {
    due: async (chat, last = '') => {
      const all = database.selectFrom('chat_posts').selectAll().where('chat', '=', chat);
      const due = all.whereRef('shown', '<', 'revision').where('next_at', '<=', now());
      const some = (rows: typeof due, most: number) =>
        rows.orderBy('next_at').orderBy('row').limit(most).execute();
      const [turn] = await some(due.orderBy(isBehind(last), 'desc').orderBy('agent'), 1);
      if (turn === undefined) return [];
      return [turn, ...(await some(due.where('row', '!=', turn.row), chatBatch - 1))];
    },
    nextAt: async (chat) => {
      const first = await database
        .selectFrom('chat_posts')
        .select('next_at')
        .where('chat', '=', chat)
        .whereRef('shown', '<', 'revision')
        .orderBy('next_at')
        .limit(1)
        .executeTakeFirst();
      return first?.next_at;
    },
    ofMessage: (chat, message) =>
      database
        .selectFrom('chat_posts')
        .selectAll()
        .where('chat', '=', chat)
        .where('message', '=', message)
        .orderBy('row')
        .limit(chatBatch)
        .execute(),
    ofQuestion: (chats, approval) =>
      database
        .selectFrom('chat_posts')
        .selectAll()
        .where('chat', 'in', chats)
        .where('approval', '=', approval)
        .where('kind', '=', 'question')
        .execute(),
  };
}

function outcomes(database: Database): Pick<ChatPosts, 'shown' | 'later' | 'drop'> {
  return {
    shown: (rows, message) =>
      database.transaction().execute(async (step) => {
        for (const { row, revision } of rows)
          await step
            .updateTable('chat_posts')
            .set({ message, shown: revision, tries: 0 })
            .where('row', '=', row)
            .execute();
        await forgetShown(step, rows, message);
      }),
    later: async (rows, nextAt) =>
      void (await database
        .updateTable('chat_posts')
        .set({ next_at: nextAt, tries: sql`tries + 1` })
        .where('row', 'in', numbers(rows))
        .execute()),
    drop: async (rows) =>
      void (await database.deleteFrom('chat_posts').where('row', 'in', numbers(rows)).execute()),
  };
}

/** Notes, and the questions of a message that have all ended. */
async function forgetShown(database: Database, rows: readonly ChatPostRow[], message: string): Promise<void> {
  const mine = () => database.deleteFrom('chat_posts').where('chat', '=', rows[0]?.chat ?? '');
  await mine().where('row', 'in', numbers(rows)).where('kind', '=', 'note').execute();
  const waiting = await database
    .selectFrom('chat_posts')
    .select('row')
    .where('chat', '=', rows[0]?.chat ?? '')
    .where('message', '=', message)
    .where((row) => row.or([row('ended', '=', ''), row('shown', '<', row.ref('revision'))]))
    .limit(1)
    .executeTakeFirst();
  if (waiting === undefined) await mine().where('message', '=', message).execute();
}

function numbers(rows: readonly ChatPostRow[]): number[] {
  return rows.map(({ row }) => row);
}
