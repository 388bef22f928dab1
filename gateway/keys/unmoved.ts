import type { Database } from '../store/database.ts';

/** Relays, people and programs whose certificate is of the former authority, and who have not shown another one yet. */
export interface Unmoved {
  readonly names: () => readonly string[];
  /** From a rotation on: all who hold a certificate. */
  readonly begin: () => Promise<void>;
  /** One has shown a certificate of the present authority. */
  readonly moved: (principal: string) => void;
  readonly end: () => Promise<void>;
}

export async function openUnmoved(database: Database): Promise<Unmoved> {
  const rows = await database.selectFrom('unmoved').select('principal').execute();
  const left = new Set(rows.map(({ principal }) => principal));
  const forget = () => database.deleteFrom('unmoved');
  return {
    names: () => [...left].sort(),
    begin: async () => {
      for (const principal of await holders(database)) left.add(principal);
      const values = [...left].map((principal) => ({ principal }));
      // SQLite bounds the variables of a statement.
      for (let at = 0; at < values.length; at += 500) {
        const insert = database.insertInto('unmoved').values(values.slice(at, at + 500));
        await insert.onConflict((conflict) => conflict.doNothing()).execute();
      }
    },
    moved: (principal) => {
      // A row that stays names one too many after a restart, until that one connects again.
      if (left.delete(principal))
        void forget()
          .where('principal', '=', principal)
          .execute()
          .catch(() => {});
    },
    end: async () => {
      left.clear();
      await forget().execute();
    },
  };
}

async function holders(database: Database): Promise<string[]> {
  const enrolled = await database.selectFrom('enrolled').select('principal').execute();
  const people = await database.selectFrom('people').select('name').where('let_in', '=', 1).execute();
  const programs = await database
    .selectFrom('api_tokens')
    .select('principal')
    .where('removed', '=', 0)
    .where('principal', 'like', 'program:%')
    .execute();
  const known = new Set(programs.map(({ principal }) => principal));
  const lasting = enrolled.filter(({ principal }) => principal.startsWith('relay:') || known.has(principal));
  return [...lasting.map(({ principal }) => principal), ...people.map(({ name }) => `person:${name}`)];
}
