import { createInTurn } from '../../src/in-turn.ts';
import { createListeners } from '../../src/listeners.ts';
import { isPeerName } from '../../src/pki/peer-name.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { loosen, tighten } from '../control/lasting-change.ts';
import type { Revocations } from '../control/revocations.ts';
import type { Checked } from '../ports/authentication.ts';
import type { KnownPerson, PersonRole, WantedPerson } from '../ports/known-principals.ts';
import type { Principal, Scope } from '../ports/principal.ts';
import type { Database } from '../store/database.ts';
import { keepPerson, keepPersonRemoved } from '../store/people.ts';
import { hasSignIn } from '../store/sign-ins.ts';
import { type PersonEntry, personEntry, personOfRow, recordOfPerson, rowOfPerson } from './person-entry.ts';
import { scopeProblem } from './scope-text.ts';

/** The people that this gateway knows. A change is on the disk and in the audit before it is answered. */
export interface People {
  /** What a person may do: who comes now, or who is here since then. Undefined if there is no such person. */
  readonly of: (name: string, when: 'isOver' | 'hasRunOut') => Pick<Principal, 'role' | 'scope'> | undefined;
  readonly find: (name: string) => KnownPerson | undefined;
  readonly list: () => KnownPerson[];
  /** Whether there is a person of this name, or was one. */
  readonly isTaken: (name: string) => boolean;
  /** Those who may come in now. */
  readonly inForce: () => Principal[];
  /** Adds a person, or, if `replace`, gives a known one other rights. */
  readonly set: (wanted: WantedPerson, by: string) => Promise<Checked<KnownPerson>>;
  /** Counts at once; the name is not used again. */
  readonly remove: (name: string, by: string, reason: string) => Promise<Checked<true>>;
  /** Whether the person holds a certificate that counts. */
  readonly noteLetIn: (name: string, isIn: boolean) => Promise<void>;
  /** It holds no certificate any more, by `revoke`; refuses if no other admin could come in then. */
  readonly putOut: (name: string, revoke: () => Promise<void>) => Promise<Checked<true>>;
  /** Calls `listener` when a person may do less than before. */
  readonly watch: (listener: () => void) => void;
}

/** The people of an `operators.json`. */
export type FirstPeople = ReadonlyMap<string, { readonly role: PersonRole; readonly scope: Scope }>;

const noAdmin =
  'no admin is known; restore the database or the audit, or name an admin in operators.json in the state folder, as {"admin": "admin"}; the last such file is operators.json.taken';

/** `first` are taken in if their names were never known. Rejects if there is no admin then. */
export async function openPeople(
  database: Database,
  audit: AuditLog,
  first: FirstPeople,
  { mayHold }: Pick<Revocations, 'mayHold'>,
): Promise<People> {
  const rows = await database.selectFrom('people').selectAll().execute();
  const kept = rows.filter(({ removed }) => removed === 0);
  const { watch, tell: changed } = createListeners();
  const keeping: Keeping = {
    ...{ database, audit, mayHold },
    known: new Map(kept.map((row) => [row.name, personOfRow(row)])),
    removed: new Set(rows.flatMap(({ name, removed }) => (removed === 0 ? [] : [name]))),
    changed,
  };
  await takeIn(first, keeping);
  const { known } = keeping;
  if (!leavesAdmin(keeping, '')) throw new Error(noAdmin);
  const inTurn = createInTurn();
  const present = (name: string, when: 'isOver' | 'hasRunOut') => {
    const entry = known.get(name);
    return entry === undefined || entry.life[when]() ? undefined : entry;
  };
  return {
    of: (name, when) => {
      const entry = present(name, when);
      return entry && { role: entry.role, scope: entry.scope };
    },
    find: (name) => {
      const entry = present(name, 'isOver');
      return entry && shown(entry);
    },
    list: () => [...known.values()].map(shown),
    isTaken: (name) => known.has(name) || keeping.removed.has(name),
    inForce: () =>
      [...known.values()].flatMap((entry) => {
        const { name, role, scope, life } = entry;
        return isLetIn(entry, keeping) && !life.hasRunOut()
          ? [{ kind: 'person', name, role, scope } as const]
          : [];
      }),
    set: (wanted, by) => inTurn(() => set(wanted, by, keeping)),
    remove: (name, by, reason) => inTurn(() => remove({ name, by, reason }, keeping)),
    noteLetIn: (name, isIn) => inTurn(() => noteLetIn(name, isIn, keeping)),
    putOut: (name, revoke) => inTurn(() => putOut(name, revoke, keeping)),
    watch,
  };
}

interface Keeping {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly mayHold: Revocations['mayHold'];
  readonly known: Map<string, PersonEntry>;
  readonly removed: Set<string>;
  readonly changed: () => void;
}

async function takeIn(first: FirstPeople, keeping: Keeping): Promise<void> {
  const { known, removed } = keeping;
  const fresh = [...first].filter(([name]) => !known.has(name) && !removed.has(name));
  for (const [name, rights] of fresh) {
    const entry = personEntry({ name, ...rights, until: undefined, by: 'gateway', letIn: true });
    if (await isOfProvider(name, keeping)) throw new Error(`operators.json: ${ofProvider(name)}`);
    await put(entry, 'taken from operators.json', keeping);
  }
}

async function set(wanted: WantedPerson, by: string, keeping: Keeping): Promise<Checked<KnownPerson>> {
  const refused = whyNotSet(wanted, keeping) ?? whyNotLess(wanted, keeping);
  if (refused !== undefined) return { refused };
  if (await isOfProvider(wanted.name, keeping)) return { refused: ofProvider(wanted.name) };
  const { replace: _, ...rest } = wanted;
  const { letIn = false, since = 0 } = keeping.known.get(wanted.name) ?? {};
  // Each change has a time of its own, whatever the clock does: a yes tells by it that nothing has changed.
  const entry = personEntry({ ...rest, by, letIn }, Math.max(Date.now(), since + 1));
  await put(entry, '', keeping);
  return { value: shown(entry) };
}

/** Also while gateway.yaml names no provider: it may name that one again. */
async function isOfProvider(name: string, { database, known }: Keeping): Promise<boolean> {
  return !known.has(name) && (await hasSignIn(database, name));
}

function ofProvider(name: string): string {
  return `${name} is the name of a person of an identity provider, and stays that; take another name`;
}

async function put(
  entry: PersonEntry,
  reason: string,
  { database, audit, known, changed }: Keeping,
): Promise<void> {
  const before = known.get(entry.name);
  const stay = recordOfPerson(before ?? entry, before === undefined ? 'withdrawn' : 'set', '');
  await loosen({
    apply: () => {
      known.set(entry.name, entry);
      changed();
    },
    keep: () => keepPerson(database, rowOfPerson(entry)),
    record: () => audit.append(recordOfPerson(entry, 'set', reason)),
    recordStay: () => audit.append({ ...stay, by: entry.by }),
    unkept: audit.unkept,
  });
}

async function remove(
  { name, by, reason }: { readonly name: string; readonly by: string; readonly reason: string },
  keeping: Keeping,
): Promise<Checked<true>> {
  const { database, audit, known, removed, changed } = keeping;
  const entry = known.get(name);
  if (entry === undefined) return { refused: `there is no person ${name}` };
  if (!leavesAdmin(keeping, name)) return { refused: lastAdmin(name) };
  await tighten({
    apply: () => {
      known.delete(name);
      removed.add(name);
      changed();
    },
    keep: () => keepPersonRemoved(database, { name, set_by: by, set_at: Date.now() }),
    record: () => audit.append({ ...recordOfPerson(entry, 'removed', reason), by }),
    unkept: audit.unkept,
  });
  return { value: true };
}

/** In the turn of all changes: two of them at once would leave no admin. */
async function putOut(name: string, revoke: () => Promise<void>, keeping: Keeping): Promise<Checked<true>> {
  if (!keeping.known.has(name)) return { refused: `there is no person ${name}` };
  if (!leavesAdmin(keeping, name)) return { refused: `${name} is the last admin who can come in` };
  await revoke();
  await noteLetIn(name, false, keeping);
  return { value: true };
}

/** It only counts for who the last admin is: the audit has the certificates themselves. */
async function noteLetIn(name: string, letIn: boolean, { database, known }: Keeping): Promise<void> {
  const entry = known.get(name);
  if (entry === undefined || entry.letIn === letIn) return;
  known.set(name, { ...entry, letIn });
  await database
    .updateTable('people')
    .set({ let_in: letIn ? 1 : 0 })
    .where('name', '=', name)
    .execute();
}

function whyNotSet(
  { name, scope, until, replace }: WantedPerson,
  { known, removed }: Keeping,
): string | undefined {
  if (!isPeerName(name)) return `${JSON.stringify(name)} is not a name`;
  if (removed.has(name)) return `the person ${name} was removed, and names are not used again`;
  if (known.has(name) && !replace) return `there is a person ${name} already`;
  if (!known.has(name) && replace) return `there is no person ${name}`;
  if (until !== undefined && until <= Date.now()) return 'its end is over';
  return scopeProblem(scope) || undefined;
}

function whyNotLess(wanted: WantedPerson, keeping: Keeping): string | undefined {
  return leavesAdmin(keeping, wanted.name) || isLasting(wanted) ? undefined : lastAdmin(wanted.name);
}

/** Whether there is an admin besides this one who was let in before, and may do everything without an end. */
function leavesAdmin(keeping: Keeping, besides: string): boolean {
  return [...keeping.known.values()].some(
    (each) => each.name !== besides && isLetIn(each, keeping) && isLasting(each),
  );
}

/** Its row may say that it was let in although it was revoked: that is written later, and to another place. */
function isLetIn({ name, letIn }: PersonEntry, { mayHold }: Keeping): boolean {
  return letIn && mayHold(`person:${name}`);
}

function isLasting({ role, scope, until }: Pick<KnownPerson, 'role' | 'scope' | 'until'>): boolean {
  return role === 'admin' && until === undefined && Object.keys(scope).length === 0;
}

function lastAdmin(name: string): string {
  return `${name} is the last admin who was let in, for all agents and without an end`;
}

function shown({ life: _life, letIn: _letIn, ...person }: PersonEntry): KnownPerson {
  return person;
}
