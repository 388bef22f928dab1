import type { TokenRecord } from '../audit/principal-records.ts';
import type { Principal, Role } from '../ports/principal.ts';
import { principalName } from '../ports/principal.ts';
import type { ApiTokenRow } from '../store/principal-rows.ts';
import { type Lifetime, lifetime } from './lifetime.ts';
import { readScope, scopeText } from './scope-text.ts';

/** An API token as this process has it. */
export interface TokenEntry {
  readonly name: string;
  readonly principal: Principal;
  readonly until: number | undefined;
  readonly life: Lifetime;
  readonly digest: string;
  /** What it said before its rotation. */
  readonly former: { readonly digest: string; readonly until: number; readonly life: Lifetime } | undefined;
  readonly by: string;
  readonly since: number;
}

export function tokenEntry(
  token: Omit<TokenEntry, 'life' | 'former'>,
  former?: TokenEntry['former'],
): TokenEntry {
  return { ...token, former, life: lifetime(token.until) };
}

export function formerOf(digest: string, until: number): TokenEntry['former'] {
  return digest === '' ? undefined : { digest, until, life: lifetime(until) };
}

export function entryOfRow(row: ApiTokenRow): TokenEntry {
  const [kind = '', name = ''] = row.principal.split(':', 2);
  const principal = {
    kind: kind as Principal['kind'],
    name,
    role: row.role as Role,
    scope: readScope(row.scope),
  };
  const { set_by: by, set_at: since, digest } = row;
  const token = { name: row.name, principal, until: row.until ?? undefined, digest, by, since };
  return tokenEntry(token, formerOf(row.former_digest, row.former_until));
}

export function rowOfEntry(entry: TokenEntry): Omit<ApiTokenRow, 'used_at' | 'used_from'> {
  const { name, principal, until, digest, former, by } = entry;
  return {
    ...{ name, principal: principalName(principal), role: principal.role, digest },
    ...{ scope: scopeText(principal.scope), until: until ?? null },
    ...{ former_digest: former?.digest ?? '', former_until: former?.until ?? 0 },
    ...{ set_by: by, set_at: Date.now(), removed: 0 },
  };
}

export function recordOfEntry(entry: TokenEntry, event: TokenRecord['event'], reason: string): TokenRecord {
  const { name, principal, until, digest, former, by } = entry;
  return {
    ...{ type: 'token', event, token: name, principal: principalName(principal), role: principal.role },
    ...{ scope: principal.scope, digest, until: timeOf(until) },
    ...{ formerDigest: former?.digest ?? '', formerUntil: timeOf(former?.until), by, reason },
  };
}

/** Of a token that is removed: what it was, and nothing that lets anybody in. */
export function removalOf(entry: TokenEntry, by: string, reason: string): TokenRecord {
  return { ...recordOfEntry(entry, 'removed', reason), digest: '', formerDigest: '', formerUntil: '', by };
}

function timeOf(ms: number | undefined): string {
  return ms === undefined ? '' : new Date(ms).toISOString();
}
