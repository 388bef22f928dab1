import type { CarrierSession } from './carrier-session.ts';
import type { CarrierState, Version } from './carrier-state.ts';
import type { Applied, BeginOptions, ChangesDone, ChangesQuery, Checked } from './exchange-frames.ts';

export interface Exchanged {
  readonly sent: ChangesDone;
  readonly checked: Checked;
  readonly applied: Applied;
}

/** Everything that `query` names goes from one carrier to the other and is applied there. */
export async function exchange(
  [from, to]: readonly [CarrierSession, CarrierSession],
  query: ChangesQuery,
  begin: BeginOptions,
): Promise<Exchanged> {
  await to.begin(begin);
  const sent = await from.changes(query, (frame) => to.put(frame));
  let { wants, checked } = await to.verify();
  if (wants.length > 0) {
    // One after the other: a want names blocks of one file, and the answer can be gigabytes.
    for (const want of wants) await from.wanted(want, (frame) => to.put(frame));
    ({ wants, checked } = await to.verify());
  }
  return { sent, checked, applied: await to.commit() };
}

/** The replica gets what home changed since the version that it has, or all of it. */
export async function sendOut(home: CarrierSession, replica: CarrierSession): Promise<Exchanged | undefined> {
  const [{ version }, { at, entries }] = await Promise.all([home.settle(), replica.settle()]);
  if (sameVersion(version, at)) return undefined;
  // A replica that has a tree of an unknown version is compared: it asks for the bytes that it lacks.
  const known = at.epoch === version.epoch;
  const query: ChangesQuery = known ? { of: 'since', version: at } : { of: 'all', bytes: entries <= 1 };
  return exchange([home, replica], query, { version, whole: !known });
}

/** Home gets what the replica changed; the replica then has home's version, as far as home took it. */
export async function bringHome(
  home: CarrierSession,
  replica: CarrierSession,
): Promise<{ exchanged: Exchanged; state: CarrierState } | undefined> {
  const { at, dirty } = await replica.settle();
  if (dirty === 0) return undefined;
  const exchanged = await exchange([replica, home], { of: 'dirty' }, { version: at });
  const { version, refused } = exchanged.applied;
  const not = refused.flatMap(({ why, path }) => (why === 'unstable' ? [path] : []));
  return { exchanged, state: await replica.acknowledge(version, not) };
}

function sameVersion(a: Version, b: Version): boolean {
  return a.epoch === b.epoch && a.seq === b.seq;
}
