import { createInTurn } from '../../src/in-turn.ts';
import { createListeners } from '../../src/listeners.ts';
import { isPeerName } from '../../src/pki/peer-name.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { loosen, tighten } from '../control/lasting-change.ts';
import type { Checked } from '../ports/authentication.ts';
import type { KnownToken, TokenAuthentication, ToldToken, WantedToken } from '../ports/known-principals.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import { keepToken, keepTokenRemoved } from '../store/api-tokens.ts';
import type { Database } from '../store/database.ts';
import { createAuthenticateToken } from './authenticate-token.ts';
import { scopeProblem } from './scope-text.ts';
import {
  formerOf,
  recordOfEntry,
  removalOf,
  rowOfEntry,
  type TokenEntry,
  tokenEntry,
} from './token-entry.ts';
import { createTokenTable, type TokenTable } from './token-table.ts';
import { digestOf, newTokenText } from './token-text.ts';
import { createTokenUses, type TokenUses } from './token-uses.ts';

/**
 * Programs and agents show an API token, and a program a certificate, too, as long as its token is in force. The gateway keeps only the digest of what it says. A change is on the disk
 * and in the audit before it is answered.
 */
export interface ApiTokens extends TokenAuthentication {
  readonly list: () => KnownToken[];
  /** The names of all principals of which a token lets in now. */
  readonly inForce: () => ReadonlySet<string>;
  /** What a program of this name may do: who comes now, or who is here since then. */
  readonly programOf: (name: string, when: 'isOver' | 'hasRunOut') => KnownProgram | undefined;
  /** The program shows its certificate. */
  readonly noteCertificate: (program: string) => void;
  /** What its owner has to show is told this once. */
  readonly create: (wanted: WantedToken, by: string) => Promise<Checked<ToldToken>>;
  /** It says something else from now on; what it said before counts for `overlapMs` more. */
  readonly rotate: (name: string, overlapMs: number, by: string) => Promise<Checked<ToldToken>>;
  /** Counts at once; the name is not used again. */
  readonly remove: (name: string, by: string, reason: string) => Promise<Checked<true>>;
  /** Removes the tokens of all agents but these. */
  readonly endAllBut: (agents: readonly string[]) => Promise<void>;
  /** Calls `listener` when a token may let in no more. */
  readonly watch: (listener: () => void) => void;
  readonly close: () => Promise<void>;
}

export interface KnownProgram {
  readonly right: Pick<Principal, 'role' | 'scope'>;
  readonly until: number | undefined;
}

export interface ApiTokensParts {
  readonly database: Database;
  readonly audit: Pick<AuditLog, 'append' | 'unkept'>;
  readonly hasAgent: (name: string) => boolean;
}

const tokensAtMost = 10_000;

export async function openApiTokens(parts: ApiTokensParts): Promise<ApiTokens> {
  const rows = await parts.database.selectFrom('api_tokens').selectAll().execute();
  const table = createTokenTable(rows, parts.hasAgent);
  const uses = createTokenUses(parts.database, rows);
  const { watch, tell: changed } = createListeners();
  const keeping = { ...parts, table, uses, changed };
  const inTurn = createInTurn();
  return {
    authenticateToken: createAuthenticateToken(table, uses),
    inForce: () => new Set(table.all().flatMap((entry) => standing(entry, table))),
    programOf: (name, when) => programOf(table.get(name), when),
    noteCertificate: uses.noteCertificate,
    list: () => table.all().map((entry) => shown(entry, uses)),
    create: (wanted, by) => inTurn(() => create(wanted, by, keeping)),
    rotate: (name, overlapMs, by) => inTurn(() => rotate({ name, overlapMs, by }, keeping)),
    remove: (name, by, reason) => inTurn(() => remove({ name, by, reason }, keeping)),
    endAllBut: (agents) => inTurn(() => endAllBut(new Set(agents), keeping)),
    watch,
    close: uses.close,
  };
}

interface Keeping extends ApiTokensParts {
  readonly table: TokenTable;
  readonly uses: TokenUses;
  readonly changed: () => void;
}

async function create(wanted: WantedToken, by: string, keeping: Keeping): Promise<Checked<ToldToken>> {
  const refused = whyNotCreate(wanted, keeping.hasAgent) ?? whyNotName(wanted.name, keeping.table);
  if (refused !== undefined) return { refused };
  const { name, until } = wanted;
  const rest = { name, principal: principalOf(wanted), until, by, since: Date.now() };
  return await putNew((digest) => tokenEntry({ ...rest, digest }), undefined, keeping);
}

async function rotate(
  { name, overlapMs, by }: { readonly name: string; readonly overlapMs: number; readonly by: string },
  keeping: Keeping,
): Promise<Checked<ToldToken>> {
  const before = keeping.table.get(name);
  if (before === undefined) return { refused: `there is no API token ${name}` };
  if (before.life.isOver()) return { refused: `the API token ${name} has expired` };
  const former = overlapMs > 0 ? formerOf(before.digest, Date.now() + overlapMs) : undefined;
  const { principal, until } = before;
  const rest = { name, principal, until, by, since: Date.now() };
  return await putNew((digest) => tokenEntry({ ...rest, digest }, former), before, keeping);
}

async function putNew(
  make: (digest: string) => TokenEntry,
  before: TokenEntry | undefined,
  { database, audit, table, uses, changed }: Keeping,
): Promise<Checked<ToldToken>> {
  const text = newTokenText();
  const entry = make(digestOf(text));
  const stay = recordOfEntry(before ?? entry, before === undefined ? 'withdrawn' : 'set', '');
  await loosen({
    apply: () => {
      table.put(entry);
      changed();
    },
    keep: () => keepToken(database, rowOfEntry(entry)),
    record: () => audit.append(recordOfEntry(entry, 'set', '')),
    recordStay: () => audit.append({ ...stay, by: entry.by }),
    unkept: audit.unkept,
  });
  return { value: { token: shown(entry, uses), text } };
}

async function remove(
  { name, by, reason }: { readonly name: string; readonly by: string; readonly reason: string },
  { database, audit, table, uses, changed }: Keeping,
): Promise<Checked<true>> {
  const entry = table.get(name);
  if (entry === undefined) return { refused: `there is no API token ${name}` };
  await tighten({
    apply: () => {
      table.remove(entry);
      uses.forget(name);
      changed();
    },
    keep: () => keepTokenRemoved(database, { name, set_by: by, set_at: Date.now() }),
    record: () => audit.append(removalOf(entry, by, reason)),
    unkept: audit.unkept,
  });
  return { value: true };
}

/** Otherwise they would let in for another agent that takes the name of one that is gone. */
async function endAllBut(agents: ReadonlySet<string>, keeping: Keeping): Promise<void> {
  const lost = keeping.table
    .all()
    .filter(({ principal }) => principal.kind === 'agent' && !agents.has(principal.name));
  const reason = 'its agent was removed from gateway.yaml';
  await Promise.all(lost.map(({ name }) => remove({ name, by: 'gateway', reason }, keeping)));
}

/** The token of a program has its name. */
function programOf(entry: TokenEntry | undefined, when: 'isOver' | 'hasRunOut'): KnownProgram | undefined {
  if (entry === undefined || entry.principal.kind !== 'program' || entry.life[when]()) return undefined;
  const { role, scope } = entry.principal;
  return { right: { role, scope }, until: entry.until };
}

function standing({ digest, principal }: TokenEntry, table: TokenTable): string[] {
  return table.problemOf(digest, 'hasRunOut') === undefined ? [principalName(principal)] : [];
}

function shown({ name, principal, until, by, since }: TokenEntry, uses: TokenUses): KnownToken {
  const use = uses.of(name);
  return { name, principal, until, by, since, usedAt: use?.at, usedFrom: use?.from ?? '' };
}

function principalOf({ name, role, scope, agent }: WantedToken): Principal {
  if (role === 'agent') return { kind: 'agent', name: agent, role, scope: {} };
  return { kind: 'program', name, role, scope };
}

function whyNotCreate(
  { role, agent, scope, until }: WantedToken,
  hasAgent: ApiTokensParts['hasAgent'],
): string | undefined {
  if (role === 'agent' && !hasAgent(agent)) return `gateway.yaml has no agent ${agent}`;
  if (role === 'agent' && Object.keys(scope).length > 0) return 'a token of an agent is for that agent alone';
  if (role !== 'agent' && agent !== '') return `a token for the role ${role} is not of one agent`;
  if (until !== undefined && until <= Date.now()) return 'its end is over';
  return scopeProblem(scope) || undefined;
}

function whyNotName(name: string, table: TokenTable): string | undefined {
  if (!isPeerName(name)) return `${JSON.stringify(name)} is not a name`;
  if (table.get(name) !== undefined) return `there is an API token ${name} already`;
  if (table.wasRemoved(name)) return `the API token ${name} was removed, and names are not used again`;
  return table.all().length < tokensAtMost ? undefined : `there are ${tokensAtMost} API tokens already`;
}
