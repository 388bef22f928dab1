import { createInTurn } from '../../src/in-turn.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { LinkRecord } from '../audit/consent-records.ts';
import { loosen } from '../control/lasting-change.ts';
import type { Checked } from '../ports/authentication.ts';
import type { KnownLink, WantedLink } from '../ports/known-principals.ts';
import type { Database } from '../store/database.ts';
import { dropLink, keepLink } from '../store/links.ts';
import { createOnePerson, type OnePerson, personPrefix, type SubjectOf, withSubject } from './one-person.ts';

/** Principals that are one person: two of them never count as two. */
export interface Links {
  readonly onePerson: OnePerson;
  /** At the end of its links: as this person a user of a chat acts. */
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
  /** Absent if there is no provider. */
  readonly subjectOf?: SubjectOf | undefined;
}

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
  let all: readonly KnownLink[] = [...known.values()];
  const changed = () => {
    all = [...known.values()];
  };
  const onePerson = createOnePerson(() => all, parts.subjectOf);
  const inTurn = createInTurn();
  const keeping = { ...parts, known, changed, onePerson };
  return {
    ...{ of, onePerson },
    personOf: (principal) => endOf(principal, of),
    list: () => [...all],
    link: (wanted, by) => inTurn(() => link(wanted, by, keeping)),
    unlink: (wanted, by) => inTurn(() => unlink(wanted, by, keeping)),
  };
}

/** What an older database and a part of the audit say may be a circle: then its first name. */
function endOf(principal: string, of: Links['of']): string {
  const met = new Set<string>();
  let at = principal;
  for (let next = of(at); next !== undefined; next = of(at)) {
    if (met.has(at)) return [...met].slice([...met].indexOf(at)).toSorted()[0] ?? at;
    met.add(at);
    at = personPrefix + next.person;
  }
  return at;
}

interface Keeping extends LinksParts {
  readonly known: Map<string, KnownLink>;
  /** After each change of `known`. */
  readonly changed: () => void;
  readonly onePerson: OnePerson;
}

async function link(wanted: WantedLink, by: string, keeping: Keeping): Promise<Checked<KnownLink>> {
  const refused = whyNot(wanted, keeping);
  if (refused !== undefined) return { refused };
  const { database, audit, known, changed } = keeping;
  const { principal, person, reason } = wanted;
  const made = { principal, person, by, since: Date.now() };
  await loosen({
    apply: () => {
      known.set(principal, made);
      changed();
    },
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
  { database, audit, known, changed }: Keeping,
): Promise<Checked<true>> {
  const before = known.get(principal);
  if (before?.person !== person) return { refused: `${principal} is not linked to ${person}` };
  await loosen({
    apply: () => {
      known.delete(principal);
      changed();
    },
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
  { known, isPerson, subjectOf, onePerson }: Keeping,
): string | undefined {
  const own = personPrefix + person;
  const subject = withSubject(principal, subjectOf);
  // A person of the provider and its subject have one link together: the second would say something else.
  const there = [...known.values()].find((each) => withSubject(each.principal, subjectOf) === subject);
  if (!isPerson(person)) return `there is no person ${person}`;
  if (!forms.some(([form]) => form.test(principal)))
    return `${JSON.stringify(principal)} is not one of these: ${forms.map(([, what]) => what).join(', ')}`;
  if (there !== undefined) return `${there.principal} is linked to ${there.person} already; unlink it first`;
  if (onePerson(own).has(subject)) return `${principal} and ${own} are one person already`;
  if (principal.startsWith(personPrefix) && !isPerson(principal.slice(personPrefix.length)))
    return `there is no ${principal}`;
  return known.size < linksAtMost ? undefined : `there are ${linksAtMost} links already`;
}
