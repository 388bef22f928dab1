import { sql } from 'kysely';
import { steadyClock } from '../../src/steady-clock.ts';
import { isBehind } from './agents-turn.ts';
import { type ChatPosts, chatBounds, createChatPosts } from './chat-posts.ts';
import type { Database } from './database.ts';
import { keepNewest, type QueueBounds } from './keep-newest.ts';
import type { HookDeliveryRow, ToldQuestionRow } from './notice-rows.ts';

/** Deliveries that wait for their webhooks, bounded for each of them; they outlive the gateway. */
export interface HookQueue {
  /** The clock of their times, which no jump of the wall clock moves. */
  readonly now: () => number;
  /** Resolves with how many older ones had to go. Does nothing if one of this id waits. */
  readonly add: (hook: string, delivery: NewDelivery) => Promise<number>;
  /**
   * Of what is due, the next agent's first, by name behind `last` and then from the beginning; no agent's has an empty
   * name. If nothing is due, the one whose time comes first.
   */
  readonly next: (hook: string, last?: string) => Promise<HookDeliveryRow | undefined>;
  readonly drop: (row: number) => Promise<void>;
  readonly later: (row: number, nextAt: number, tries: number) => Promise<void>;
  readonly waiting: (hook: string) => Promise<number>;
  /**
   * Deletes what waits for hooks that gateway.yaml does not have. Once, at a start: what waits is due, because the clock
   * may have been set back.
   */
  readonly keepOnly: (hooks: readonly string[]) => Promise<void>;
}

export interface NewDelivery {
  readonly id: string;
  readonly event: string;
  /** Whose it is; empty if it is no agent's. */
  readonly agent: string;
  readonly body: string;
}

/** Questions of which everybody was told, and not yet that they ended. */
export interface ToldQuestions {
  readonly all: () => Promise<ToldQuestionRow[]>;
  readonly add: (row: ToldQuestionRow) => Promise<void>;
  readonly note: (row: ToldQuestionRow) => Promise<void>;
  readonly remove: (approval: string) => Promise<void>;
}

export interface Notices {
  readonly hooks: HookQueue;
  readonly chats: ChatPosts;
  readonly told: ToldQuestions;
}

export const hookBounds = { rows: 1000, bytes: 32 * 1024 ** 2 } as const;

export function createNotices(
  database: Database,
  bounds: QueueBounds = hookBounds,
  now = steadyClock(),
): Notices {
  return {
    hooks: createHooks(database, bounds, now),
    chats: createChatPosts(database, chatBounds, now),
    told: createTold(database),
  };
}

function createHooks(database: Database, bounds: QueueBounds, now: () => number): HookQueue {
  return {
    now,
    add: (hook, { id, event, agent, body }) =>
      database.transaction().execute(async (step) => {
        const at = now();
        const times = { made_at: at, next_at: at, tries: 0 };
        await step
          .insertInto('hook_deliveries')
          .values({ hook, id, event, agent, body, bytes: Buffer.byteLength(body), ...times })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        return keepNewest(step, 'hook_deliveries', hook, bounds);
      }),
    next: async (hook, last = '') => {
      const all = database.selectFrom('hook_deliveries').selectAll().where('hook', '=', hook);
      const due = all.where('next_at', '<=', now());
      const first = async (some: typeof all) =>
        await some.orderBy('next_at').orderBy('row').limit(1).executeTakeFirst();
      return (await first(due.orderBy(isBehind(last), 'desc').orderBy('agent'))) ?? (await first(all));
    },
    drop: async (row) => void (await database.deleteFrom('hook_deliveries').where('row', '=', row).execute()),
    later: async (row, nextAt, tries) =>
      void (await database
        .updateTable('hook_deliveries')
        .set({ next_at: nextAt, tries })
        .where('row', '=', row)
        .execute()),
    waiting: async (hook) => {
      const { count } = await database
        .selectFrom('hook_deliveries')
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .where('hook', '=', hook)
        .executeTakeFirstOrThrow();
      return count;
    },
    keepOnly: async (hooks) => {
      const all = database.deleteFrom('hook_deliveries');
      await (hooks.length === 0 ? all : all.where('hook', 'not in', hooks)).execute();
      const at = now();
      const times = { next_at: at, made_at: sql<number>`min(made_at, ${at})` };
      await database.updateTable('hook_deliveries').set(times).where('next_at', '>', at).execute();
    },
  };
}

function createTold(database: Database): ToldQuestions {
  return {
    all: () => database.selectFrom('told_questions').selectAll().execute(),
    add: async (row) =>
      void (await database
        .insertInto('told_questions')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()),
    note: async ({ approval, reminded, escalated }) =>
      void (await database
        .updateTable('told_questions')
        .set({ reminded, escalated })
        .where('approval', '=', approval)
        .execute()),
    remove: async (approval) =>
      void (await database.deleteFrom('told_questions').where('approval', '=', approval).execute()),
  };
}
