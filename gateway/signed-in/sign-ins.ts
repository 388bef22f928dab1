import { isDeepStrictEqual } from 'node:util';
import type { OidcConfig } from '../../src/config/oidc-config.ts';
import { createInTurn } from '../../src/in-turn.ts';
import { createListeners } from '../../src/listeners.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { SignInRecord } from '../audit/consent-records.ts';
import type { Checked } from '../ports/authentication.ts';
import type { IdentityProvider, ProviderClaims } from '../ports/identity-provider.ts';
import type { SignedInPerson, SignIns } from '../ports/signed-in.ts';
import { lifetime } from '../principals/lifetime.ts';
import type { Database } from '../store/database.ts';
import { keepSignIn } from '../store/sign-ins.ts';
import { rightsOfGroups } from './group-rights.ts';
import { nameOf } from './name-of.ts';
import type { RefreshTokens } from './refresh-tokens.ts';
import { entryOfRow, rowOfEntry, type SignInEntry } from './sign-in-entry.ts';

export interface SignInsParts {
  readonly oidc: OidcConfig;
  readonly provider: Pick<IdentityProvider, 'refresh'>;
  readonly database: Database;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly tokens: RefreshTokens;
  /** Whether the gateway itself knows, or knew, a person of this name. */
  readonly isTaken: (name: string) => boolean;
}

/** Groups count for so long. */
export const groupsFreshMs = 5 * 60_000;
/** They are read again before that, for who is here without a break. */
const readAgainMs = 4 * 60_000;
/** After a provider that was not there, it is asked again so much later. */
const retryMs = 5_000;
const tellMs = 500;
export const certificateMs = 3_600_000;

export async function openSignIns(parts: SignInsParts): Promise<SignIns> {
  const { oidc, database } = parts;
  const rows = await database.selectFrom('sign_ins').selectAll().execute();
  const { watch, tell } = createListeners();
  const own = rows.filter(({ issuer }) => issuer === oidc.issuer);
  const others = rows.filter((row) => !own.includes(row));
  // Two providers may have one subject for two people.
  const foreign = new Map(others.map(({ name, issuer, subject }) => [name, `${subject} of ${issuer}`]));
  const known = new Map(own.map((row) => [row.name, entryOfRow(row, oidc.groups)]));
  // A call that waited for the groups is told why first; then its connection ends.
  const tellSoon = () => void setTimeout(tell, tellMs).unref();
  const inTurn = createInTurn();
  const keeping: Keeping = { ...parts, known, foreign, tellSoon, inTurn, reading: new Map() };

  function look(name: string, when: 'isOver' | 'hasRunOut'): Checked<SignedInPerson> | undefined {
    const entry = known.get(name);
    if (entry === undefined) return undefined;
    if (mayRead(entry) && isDue(entry)) void read(entry, keeping);
    const stale = when === 'hasRunOut' ? whyStale(entry) : undefined;
    if (entry.life[when]()) return { refused: signInAgain };
    return stale === undefined ? personOf(entry) : { refused: stale, isForAWhile: true };
  }

  return {
    watch,
    of: look,
    find: (name) => {
      const entry = known.get(name);
      const person = look(name, 'isOver');
      if (entry === undefined || person === undefined || 'refused' in person) return undefined;
      return { until: Math.min(Date.now() + certificateMs, entry.until ?? Infinity) };
    },
    isName: (name) => known.has(name) || foreign.has(name),
    subjectOf: (name) => known.get(name)?.subject ?? foreign.get(name),
    freshen: async ({ kind, name }) => {
      const entry = kind === 'person' ? known.get(name) : undefined;
      if (entry !== undefined && mayRead(entry) && ageOf(entry) >= groupsFreshMs) await read(entry, keeping);
    },
    list: () =>
      [...known.values()].map(({ name, subject, groups, rights, until, since }) => ({
        ...{ name, subject, groups, rights, until, since },
      })),
    // What they started goes on while nobody can say what their groups are.
    inForce: () =>
      [...known.values()].flatMap((entry) => {
        const person = entry.life.hasRunOut() ? undefined : personOf(entry);
        return person !== undefined && 'value' in person ? [person.value] : [];
      }),
    forget: (name) =>
      keeping.inTurn(async () => {
        const entry = known.get(name);
        if (entry !== undefined) await end(entry, 'revoked', keeping);
      }),
    signIn: (claims, from) => keeping.inTurn(() => signIn(claims, from, keeping)),
  };
}

const signInAgain = 'the sign-in at the provider has ended; sign in again';

interface Keeping extends SignInsParts {
  readonly known: Map<string, SignInEntry>;
  /** Names and subjects of people of a provider that gateway.yaml named before. */
  readonly foreign: ReadonlyMap<string, string>;
  readonly tellSoon: () => void;
  readonly inTurn: ReturnType<typeof createInTurn>;
  readonly reading: Map<string, Promise<void>>;
}

function mayRead({ until }: SignInEntry): boolean {
  return until === undefined;
}

function ageOf({ readAt }: SignInEntry): number {
  return performance.now() - readAt;
}

function isDue(entry: SignInEntry): boolean {
  return ageOf(entry) >= readAgainMs;
}

/** Of who is here: the groups are being read while nothing says that they cannot be. */
function whyStale(entry: SignInEntry): string | undefined {
  if (!mayRead(entry) || ageOf(entry) < groupsFreshMs || entry.problem === undefined) return undefined;
  return `your groups are too old: ${entry.problem}`;
}

function personOf({ name, subject, since, rights }: SignInEntry): Checked<SignedInPerson> {
  return 'refused' in rights ? rights : { value: { name, subject, since, rights: rights.value } };
}

async function signIn(
  claims: ProviderClaims,
  from: string,
  keeping: Keeping,
): Promise<Checked<SignedInPerson>> {
  const { oidc, known, foreign, isTaken, tokens } = keeping;
  const { subject, refreshToken } = claims;
  const before = [...known.values()].find((each) => each.subject === subject);
  const name = before === undefined ? nameOf(oidc.nameClaim, claims.name) : { value: before.name };
  if ('refused' in name) return name;
  const isAnothers = before === undefined && (known.has(name.value) || foreign.has(name.value));
  if (isAnothers || isTaken(name.value)) {
    const way = before === undefined ? 'let the provider say another one' : 'ask an admin for a person here';
    return { refused: `the name ${name.value} is another person's here; ${way}` };
  }
  const rights = rightsOfGroups(claims.groups, oidc.groups);
  if ('refused' in rights) {
    // What the groups gave before is over, too.
    if (before !== undefined && 'value' in before.rights) await takeAgain(before, claims, keeping);
    return rights;
  }
  if (refreshToken !== undefined) await tokens.keep(name.value, refreshToken);
  const until = refreshToken === undefined && !(await canRead(name.value, tokens)) ? claims.until : undefined;
  const entry: SignInEntry = {
    ...{ name: name.value, subject, groups: namesOf(claims), rights, since: sinceOf(before, rights) },
    ...{ until, life: lifetime(until), readAt: performance.now(), problem: undefined },
  };
  await put(entry, { event: 'signed-in', from, reason: '' }, keeping);
  return personOf(entry);
}

async function canRead(name: string, tokens: RefreshTokens): Promise<boolean> {
  return (await tokens.read(name)) !== undefined;
}

function namesOf({ groups }: ProviderClaims): readonly string[] {
  return 'names' in groups ? groups.names : [];
}

/** Each change has a time of its own, whatever the clock does: a yes tells by it that nothing has changed. */
function sinceOf(before: SignInEntry | undefined, rights: SignInEntry['rights']): number {
  if (before === undefined) return Date.now();
  return isDeepStrictEqual(before.rights, rights) ? before.since : Math.max(Date.now(), before.since + 1);
}

/** One reading at a time for each person. Never rejects. */
function read(entry: SignInEntry, keeping: Keeping): Promise<void> {
  const { reading, known } = keeping;
  const under = reading.get(entry.name);
  if (under !== undefined) return under;
  const work = readNow(entry, keeping)
    .catch(({ message }: Error) => {
      const now = known.get(entry.name);
      if (now !== undefined) known.set(entry.name, { ...now, problem: message });
    })
    .then(() => {
      if (known.get(entry.name)?.problem === undefined) return void reading.delete(entry.name);
      // For a while nobody asks a provider again that was not there.
      setTimeout(() => reading.delete(entry.name), retryMs).unref();
    });
  reading.set(entry.name, work);
  return work;
}

async function readNow({ name }: SignInEntry, keeping: Keeping): Promise<void> {
  const { provider, tokens, known, inTurn, tellSoon } = keeping;
  const token = await tokens.read(name);
  const asked = known.get(name);
  if (asked === undefined) return;
  const answer = token === undefined ? over : await provider.refresh(token, asked.subject);
  await inTurn(async () => {
    const entry = known.get(name);
    // Somebody signed in meanwhile, or was put out.
    if (entry === undefined || entry.readAt > asked.readAt || !mayRead(entry)) return;
    if ('value' in answer) return await takeAgain(entry, answer.value, keeping);
    if (answer.isOver) return await end(entry, answer.refused, keeping);
    known.set(name, { ...entry, problem: answer.refused });
    if (whyStale({ ...entry, problem: answer.refused }) !== undefined) tellSoon();
  });
}

const over = { refused: signInAgain, isOver: true };

async function takeAgain(entry: SignInEntry, claims: ProviderClaims, keeping: Keeping): Promise<void> {
  const { oidc, known, tokens, tellSoon } = keeping;
  if (claims.refreshToken !== undefined) await tokens.keep(entry.name, claims.refreshToken);
  const rights = rightsOfGroups(claims.groups, oidc.groups);
  const readAt = performance.now();
  const next = { ...entry, groups: namesOf(claims), rights, readAt, problem: undefined };
  if (isDeepStrictEqual(rights, entry.rights)) return void known.set(entry.name, next);
  const reason = 'refused' in rights ? rights.refused : '';
  const since = sinceOf(entry, rights);
  await put({ ...next, since }, { event: 'changed', from: '', reason }, keeping);
  tellSoon();
}

/** Counts at once; the name stays this subject's. */
async function end(entry: SignInEntry, reason: string, keeping: Keeping): Promise<void> {
  const { known, tokens, tellSoon } = keeping;
  const ended = { groups: [], rights: { refused: signInAgain }, until: 0, life: lifetime(0) };
  const next = { ...entry, ...ended, since: Math.max(Date.now(), entry.since + 1) };
  known.set(entry.name, next);
  tellSoon();
  await tokens.forget(entry.name);
  await put(next, { event: 'ended', from: '', reason }, keeping);
}

/** It is in the audit and on the disk before it counts. */
async function put(
  entry: SignInEntry,
  told: Pick<SignInRecord, 'event' | 'from' | 'reason'>,
  { oidc: { issuer }, database, audit, known }: Keeping,
): Promise<void> {
  const { name: person, subject, rights } = entry;
  const given = 'value' in rights ? rights.value.map(({ role, scope }) => ({ role, scope })) : [];
  await audit.append({ type: 'sign-in', person, issuer, subject, rights: given, ...told });
  await keepSignIn(database, rowOfEntry(entry, issuer));
  known.set(person, entry);
}
