import type { Database } from '../store/database.ts';

/** Plans that an agent may run again for a while without a question, because a person said so. */
export interface Grants {
  readonly grant: (agent: string, planHash: string, by: string, until: number) => Promise<void>;
  /** The person who granted this plan to this agent; `undefined` if nobody did or the time is over. */
  readonly grantedBy: (agent: string, planHash: string) => Promise<string | undefined>;
  /** Ends those of every agent but these; what a principal asks for without an agent stays. */
  readonly endAllBut: (agents: Iterable<string>) => Promise<void>;
}

export function createGrants(database: Database): Grants {
  /** On this process's monotonic clock: if the wall clock is set back, no grant gets longer. */
  const ends = new Map<string, number>();

  return {
    grant: async (agent, plan_hash, granted_by, until) => {
      ends.set(keyOf(agent, plan_hash), performance.now() + until - Date.now());
      const row = { agent, plan_hash, granted_by, until };
      await database
        .insertInto('grants')
        .values(row)
        .onConflict((conflict) => conflict.columns(['agent', 'plan_hash']).doUpdateSet(row))
        .execute();
    },
    grantedBy: async (agent, planHash) => {
      const end = ends.get(keyOf(agent, planHash));
      if (end !== undefined && end <= performance.now()) return undefined;
      const row = await database
        .selectFrom('grants')
        .select('granted_by')
        .where('agent', '=', agent)
        .where('plan_hash', '=', planHash)
        .where('until', '>', Date.now())
        .executeTakeFirst();
      return row?.granted_by;
    },
    endAllBut: async (agents) => {
      await database
        .deleteFrom('grants')
        .where('agent', 'not in', ['', ...agents])
        .execute();
    },
  };
}

function keyOf(agent: string, planHash: string): string {
  return `${planHash} ${agent}`;
}
