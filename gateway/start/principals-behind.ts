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

/**
 * The last word counts: each is in the audit before it is in the database, and their times are of a clock that is set.
 * Who was removed stays so.
 */
export async function peopleChanges(
  database: Database,
  people: Words<PersonRecord>,
): Promise<PrincipalChange[]> {
  const rows = await database.selectFrom('people').selectAll().execute();
  const known = new Map(rows.map((row) => [row.name, row]));
  return [...people.values()].flatMap(({ person: name, event, role, scope, until, by: set_by, time }) => {
    const there = known.get(name);
    const set_at = Date.parse(time);
    if (there?.removed === 1) return [];
    if (event === 'removed')
      return [
        {
          text: `person ${name} removed`,
          apply: () => keepPersonRemoved(database, { name, set_by, set_at }),
        },
      ];
    const rights = { role, scope: scopeText(scope), until: msOf(until) };
    if (has(there, rights)) return [];
    const row = { name, ...rights, set_by, set_at, removed: 0, let_in: 1 };
    return [{ text: `person ${name} ${role}`, apply: () => keepPerson(database, row) }];
  });
}

/** As of people. */
export async function apiTokenChanges(
  database: Database,
  tokens: Words<TokenRecord>,
): Promise<PrincipalChange[]> {
  const rows = await database.selectFrom('api_tokens').selectAll().execute();
  const known = new Map(rows.map((row) => [row.name, row]));
  return [...tokens.values()].flatMap((record) => {
    const { token: name, event, principal, role, digest, by: set_by } = record;
    const there = known.get(name);
    const set_at = Date.parse(record.time);
    if (there?.removed === 1) return [];
    if (event === 'removed')
      return [
        {
          text: `API token ${name} removed`,
          apply: () => keepTokenRemoved(database, { name, set_by, set_at }),
        },
      ];
    const former = { former_digest: record.formerDigest, former_until: msOf(record.formerUntil) ?? 0 };
    const rights = { principal, role, scope: scopeText(record.scope), until: msOf(record.until) };
    if (has(there, { ...rights, digest, ...former })) return [];
    const row = { name, ...rights, digest, ...former, set_by, set_at, removed: 0 };
    return [{ text: `API token ${name}`, apply: () => keepToken(database, row) }];
  });
}

function has<Row extends object>(row: Row | undefined, wanted: Partial<Row>): boolean {
  return row !== undefined && isDeepStrictEqual({ ...row, ...wanted }, row);
}

/** As of people; one that was removed may be linked again. */
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

function msOf(time: string): number | null {
  return time === '' ? null : Date.parse(time);
}
