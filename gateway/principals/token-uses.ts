import { addressKey } from '../connections/address-key.ts';
import { noteUses, type TokenUse } from '../store/api-tokens.ts';
import type { Database } from '../store/database.ts';
import type { ApiTokenRow } from '../store/principal-rows.ts';

/** When each token last let somebody in, and from where. */
export interface TokenUses {
  readonly of: (token: string) => { readonly at: number; readonly from: string } | undefined;
  readonly note: (token: string, from: string) => void;
  /** A program has shown its certificate in place of the token. */
  readonly noteCertificate: (token: string) => void;
  /** Whether it let somebody in from there lately. */
  readonly knows: (token: string, from: string) => boolean;
  readonly forget: (token: string) => void;
  /** Writes what is not written yet. */
  readonly close: () => Promise<void>;
}

const writeEveryMs = 60_000;
const sourcesAtMost = 16;

interface Used {
  at: number;
  from: string;
  /** The last one is the latest. */
  readonly sources: Set<string>;
  isWritten: boolean;
}

/** Uses are on the disk within a minute; what a crash loses is when a token was used last. */
export function createTokenUses(database: Database, rows: readonly ApiTokenRow[]): TokenUses {
  const used = new Map<string, Used>();
  for (const { name, used_at: at, used_from: from, removed } of rows)
    if (at !== null && removed === 0) used.set(name, { at, from, sources: new Set(), isWritten: true });

  async function write(): Promise<void> {
    const fresh = [...used].filter(([, { isWritten }]) => !isWritten);
    if (fresh.length === 0) return;
    for (const [, use] of fresh) use.isWritten = true;
    const written = fresh.map(([name, { at, from }]): TokenUse => ({ name, used_at: at, used_from: from }));
    await noteUses(database, written).catch(() => {
      // Next time: nothing depends on it, and a database that takes nothing is told elsewhere.
      for (const [, use] of fresh) use.isWritten = false;
    });
  }

  const timer = setInterval(() => void write(), writeEveryMs).unref();
  return {
    of: (token) => used.get(token),
    note: (token, from) => {
      const { sources } = used.get(token) ?? { sources: new Set<string>() };
      const key = addressKey(from);
      sources.delete(key);
      if (sources.size >= sourcesAtMost) sources.delete(sources.keys().next().value ?? '');
      sources.add(key);
      used.set(token, { at: Date.now(), from, sources, isWritten: false });
    },
    noteCertificate: (token) => {
      const { sources } = used.get(token) ?? { sources: new Set<string>() };
      used.set(token, { at: Date.now(), from: 'certificate', sources, isWritten: false });
    },
    knows: (token, from) => used.get(token)?.sources.has(addressKey(from)) ?? false,
    forget: (token) => void used.delete(token),
    close: async () => {
      clearInterval(timer);
      await write();
    },
  };
}
