import type { ApiTokenRow } from '../store/principal-rows.ts';
import { entryOfRow, type TokenEntry } from './token-entry.ts';

/** The API tokens in force, by name and by the digest of what they say. */
export interface TokenTable {
  readonly get: (name: string) => TokenEntry | undefined;
  readonly find: (digest: string) => TokenEntry | undefined;
  readonly all: () => readonly TokenEntry[];
  readonly wasRemoved: (name: string) => boolean;
  /** In place of the one of its name. */
  readonly put: (entry: TokenEntry) => void;
  readonly remove: (entry: TokenEntry) => void;
  /** Why what has this digest lets nobody in: for who comes now, or for who is here since then. */
  readonly problemOf: (digest: string, when: 'isOver' | 'hasRunOut') => string | undefined;
}

export const notValid = 'the API token is not valid';
const expired = 'the API token has expired';

export function createTokenTable(
  rows: readonly ApiTokenRow[],
  hasAgent: (name: string) => boolean,
): TokenTable {
  const byName = new Map<string, TokenEntry>();
  const byDigest = new Map<string, TokenEntry>();
  const removed = new Set(rows.flatMap(({ name, removed: is }) => (is === 0 ? [] : [name])));

  function forget({ digest, former }: TokenEntry): void {
    byDigest.delete(digest);
    if (former !== undefined) byDigest.delete(former.digest);
  }

  function put(entry: TokenEntry): void {
    const before = byName.get(entry.name);
    if (before !== undefined) forget(before);
    byName.set(entry.name, entry);
    byDigest.set(entry.digest, entry);
    if (entry.former !== undefined) byDigest.set(entry.former.digest, entry);
  }

  for (const row of rows) if (row.removed === 0) put(entryOfRow(row));
  return {
    get: (name) => byName.get(name),
    find: (digest) => byDigest.get(digest),
    all: () => [...byName.values()],
    wasRemoved: (name) => removed.has(name),
    put,
    remove: (entry) => {
      forget(entry);
      byName.delete(entry.name);
      removed.add(entry.name);
    },
    problemOf: (digest, when) => {
      const entry = byDigest.get(digest);
      if (entry === undefined) return notValid;
      const { life, former, principal } = entry;
      const isFormerOver = digest === former?.digest && former.life[when]();
      if (life[when]() || isFormerOver) return expired;
      const isOfAgent = principal.kind === 'agent' && !hasAgent(principal.name);
      return isOfAgent ? `there is no agent ${principal.name} any more` : undefined;
    },
  };
}
