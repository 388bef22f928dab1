import { isDeepStrictEqual } from 'node:util';
import type { LinkRecord } from '../audit/consent-records.ts';
import type { PersonRecord, TokenRecord } from '../audit/principal-records.ts';
import type { Recorded } from '../audit/recorded-executions.ts';
import { scopeText } from '../principals/scope-text.ts';
import { keepToken, keepTokenRemoved } from '../store/api-tokens.ts';
import type { Database } from '../store/database.ts';
import { dropLink, keepLink } from '../store/links.ts';
import { keepPerson, keepPersonRemoved } from '../store/people.ts';

/** What the audit has of people and API tokens, and the database lacks. */
export interface PrincipalChange {
  readonly text: string;
  readonly apply: () => Promise<unknown>;
}

type Words<Word extends PersonRecord | TokenRecord> = ReadonlyMap<string, Recorded<Word>>;

/** Keeps the last word, and forgets one that was taken back. */
export function noteWord<Word extends PersonRecord | TokenRecord>(
  words: Map<string, Recorded<Word>>,
  name: string,
  record: Recorded<Word>,
): void {
  if (record.event === 'withdrawn') words.delete(name);
  else words.set(name, record);
}

/** A removal always counts; anything else only if the database has nothing newer, and no removal. */
export async function peopleChanges(
  database: Database,
  people: Words<PersonRecord>,
): Promise<PrincipalChange[]> {
  const rows = await database.selectFrom('people').selectAll().execute();
  const known = new Map(rows.map((row) => [row.name, row]));
  return [...people.values()].flatMap(({ person: name, event, role, scope, until, by: set_by, time }) => {
    const set_at = Date.parse(time);
    const there = known.get(name);
    if (isKnown(there, event, set_at)) return [];
    // Its row has the time of the change, which is before that of the record.
    const has = there && [there.role, there.scope, there.until];
    if (event === 'set' && isDeepStrictEqual(has, [role, scopeText(scope), msOf(until)])) return [];
    if (event === 'removed')
      return [
        {
          text: `person ${name} removed`,
          apply: () => keepPersonRemoved(database, { name, set_by, set_at }),
        },
      ];
    const row = {
      name,
      role,
      scope: JSON.stringify(scope),
      until: msOf(until),
      set_by,
      set_at,
      removed: 0,
      let_in: 1,
    };
    return [{ text: `person ${name} ${role}`, apply: () => keepPerson(database, row) }];
  });
}

export async function apiTokenChanges(
  database: Database,
  tokens: Words<TokenRecord>,
): Promise<PrincipalChange[]> {
  const rows = await database.selectFrom('api_tokens').select(['name', 'set_at', 'removed']).execute();
  const known = new Map(rows.map((row) => [row.name, row]));
  return [...tokens.values()].flatMap((record) => {
    const { token: name, event, principal, role, digest, by: set_by } = record;
    const set_at = Date.parse(record.time);
    if (isKnown(known.get(name), event, set_at)) return [];
    if (event === 'removed')
      return [
        {
          text: `API token ${name} removed`,
          apply: () => keepTokenRemoved(database, { name, set_by, set_at }),
        },
      ];
    const former = { former_digest: record.formerDigest, former_until: msOf(record.formerUntil) ?? 0 };
    const rights = { principal, role, scope: JSON.stringify(record.scope), until: msOf(record.until) };
    const row = { name, ...rights, digest, ...former, set_by, set_at, removed: 0 };
    return [{ text: `API token ${name}`, apply: () => keepToken(database, row) }];
  });
}

/** The last word counts: each is in the audit before it is in the database, and their times are of a clock that is set. */
export async function linkChanges(
  database: Database,
  links: ReadonlyMap<string, Recorded<LinkRecord>>,
): Promise<PrincipalChange[]> {
  const rows = await database.selectFrom('links').selectAll().execute();
  const known = new Map(rows.map((row) => [row.principal, row]));
  return [...links.values()].flatMap(({ principal, person, event, by, time }) => {
    const there = known.get(principal);
    const since = Date.parse(time);
    if (event === 'removed')
      return there === undefined
        ? []
        : [{ text: `${principal} linked no more`, apply: () => dropLink(database, principal) }];
    if (there?.person === person) return [];
    const text = `${principal} linked to ${person}`;
    return [{ text, apply: () => keepLink(database, { principal, person, by, since }) }];
  });
}

function isKnown(
  row: { readonly set_at: number; readonly removed: number } | undefined,
  event: PersonRecord['event'],
  at: number,
): boolean {
  if (row === undefined) return false;
  if (row.removed === 1) return true;
  return event !== 'removed' && row.set_at >= at;
}

function msOf(time: string): number | null {
  return time === '' ? null : Date.parse(time);
}
