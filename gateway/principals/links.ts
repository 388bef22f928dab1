import { createInTurn } from '../../src/in-turn.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { LinkRecord } from '../audit/consent-records.ts';
import { loosen } from '../control/lasting-change.ts';
import type { Checked } from '../ports/authentication.ts';
import type { KnownLink, WantedLink } from '../ports/known-principals.ts';
import type { Database } from '../store/database.ts';
import { dropLink, keepLink } from '../store/links.ts';

/** Principals that are one person: two of them never count as two. */
export interface Links {
  /** The principal that stands for all that are linked to it, also by way of others. */
  readonly personOf: (principal: string) => string;
  /** To whom it is linked itself. */
  readonly of: (principal: string) => Pick<KnownLink, 'person'> | undefined;
  readonly list: () => KnownLink[];
  /** On the disk and in the audit when it resolves. */
  readonly link: (wanted: WantedLink, by: string) => Promise<Checked<KnownLink>>;
  readonly unlink: (wanted: WantedLink, by: string) => Promise<Checked<true>>;
}

export interface LinksParts {
  readonly database: Database;
  readonly audit: Pick<AuditLog, 'append' | 'unkept'>;
  /** Known to the gateway, or to the provider. */
  readonly isPerson: (name: string) => boolean;
  /** Whom the provider means by a name; absent if there is none. */
  readonly subjectOf?: SubjectOf | undefined;
}

type SubjectOf = (name: string) => string | undefined;

const linksAtMost = 10_000;

export async function openLinks(parts: LinksParts): Promise<Links> {
  const rows = await parts.database.selectFrom('links').selectAll().execute();
  const known = new Map(
    rows.map(({ principal, person, set_by: by, set_at: since }) => [
      principal,
      { principal, person, by, since },
    ]),
  );
  const of = (principal: string) => known.get(principal);
  const inTurn = createInTurn();
  const keeping = { ...parts, known };
  return {
    of,
    personOf: (principal) => onePersonOf(principal, of),
    list: () => [...known.values()],
    link: (wanted, by) => inTurn(() => link(wanted, by, keeping)),
    unlink: (wanted, by) => inTurn(() => unlink(wanted, by, keeping)),
  };
}

/**
 * The end of the links; with `subjectOf` a person of the provider is also its subject, wherever it stands on the way.
 * What an older database and a part of the audit say may be a circle: then its first name.
 */
export function onePersonOf(principal: string, of: Links['of'], subjectOf?: SubjectOf): string {
  const linkOf = (at: string) => of(subjectIn(at, subjectOf) ?? at) ?? of(at);
  const met = new Set<string>();
  let at = principal;
  for (let next = linkOf(at); next !== undefined; next = linkOf(at)) {
    if (met.has(at)) return [...met].slice([...met].indexOf(at)).toSorted()[0] ?? at;
    met.add(at);
    at = `person:${next.person}`;
  }
  return at;
}

const begin = 'person:';

/** Undefined if it is no person of the provider. */
function subjectIn(principal: string, subjectOf: SubjectOf = () => undefined): string | undefined {
  const subject = principal.startsWith(begin) ? subjectOf(principal.slice(begin.length)) : undefined;
  return subject === undefined ? undefined : `oidc:${subject}`;
}

interface Keeping extends LinksParts {
  readonly known: Map<string, KnownLink>;
}

async function link(wanted: WantedLink, by: string, keeping: Keeping): Promise<Checked<KnownLink>> {
  const refused = whyNot(wanted, keeping);
  if (refused !== undefined) return { refused };
  const { database, audit, known } = keeping;
  const { principal, person, reason } = wanted;
  const made = { principal, person, by, since: Date.now() };
  await loosen({
    apply: () => void known.set(principal, made),
    keep: () => keepLink(database, made),
    record: () => audit.append(recordOf(made, 'set', by, reason)),
    recordStay: () => audit.append(recordOf(made, 'removed', by, '')),
    unkept: audit.unkept,
  });
  return { value: made };
}

async function unlink(
  { principal, person, reason }: WantedLink,
  by: string,
  { database, audit, known }: Keeping,
): Promise<Checked<true>> {
  const before = known.get(principal);
  if (before?.person !== person) return { refused: `${principal} is not linked to ${person}` };
  await loosen({
    apply: () => void known.delete(principal),
    keep: () => dropLink(database, principal),
    record: () => audit.append(recordOf(before, 'removed', by, reason)),
    recordStay: () => audit.append(recordOf(before, 'set', by, '')),
    unkept: audit.unkept,
  });
  return { value: true };
}

function recordOf(
  { principal, person }: KnownLink,
  event: LinkRecord['event'],
  by: string,
  reason: string,
): LinkRecord {
  return { type: 'link', event, principal, person, by, reason };
}

const forms: readonly (readonly [form: RegExp, what: string])[] = [
  [/^person:[a-z0-9][a-z0-9._-]{0,62}$/, 'a person'],
  [/^oidc:[\x21-\x7e]{1,255}$/, 'the subject of an OIDC provider'],
  [/^slack:[A-Z0-9]{1,32}\/[A-Z0-9]{1,32}$/, 'TEAM/USER of Slack'],
  [/^telegram:[1-9][0-9]{0,19}$/, 'the number of a Telegram user'],
];

function whyNot(
  { principal, person }: WantedLink,
  { known, isPerson, subjectOf }: Keeping,
): string | undefined {
  const own = `person:${person}`;
  const there = [...known.values()].find((each) => isSame(each.principal, principal, subjectOf));
  const personOf = (each: string) => onePersonOf(each, (at) => known.get(at), subjectOf);
  if (!isPerson(person)) return `there is no person ${person}`;
  if (!forms.some(([form]) => form.test(principal)))
    return `${JSON.stringify(principal)} is not one of these: ${forms.map(([, what]) => what).join(', ')}`;
  if (there !== undefined) return `${there.principal} is linked to ${there.person} already; unlink it first`;
  if (personOf(own) === personOf(principal)) return `${principal} and ${own} are one person already`;
  if (principal.startsWith(begin) && !isPerson(principal.slice(begin.length)))
    return `there is no ${principal}`;
  return known.size < linksAtMost ? undefined : `there are ${linksAtMost} links already`;
}

/** A person of the provider and its subject have one link together: two could lead to two people. */
function isSame(one: string, other: string, subjectOf: SubjectOf | undefined): boolean {
  return (subjectIn(one, subjectOf) ?? one) === (subjectIn(other, subjectOf) ?? other);
}
