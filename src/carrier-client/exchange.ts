import { CarrierError } from './carrier-error.ts';
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
  try {
    return await sendAll([from, to], query);
  } catch (error) {
    // What came until then takes room, and keeps the receiver from its own looks.
    if (to.idle) await to.abort().catch(() => {});
    throw error;
  }
}

async function sendAll(
  [from, to]: readonly [CarrierSession, CarrierSession],
  query: ChangesQuery,
): Promise<Exchanged> {
  const sent = await from.changes(query, (frame) => to.put(frame));
  let { wants, checked } = await to.verify();
  if (wants.length > 0) {
    // One after the other: a want names blocks of one file, and the answer can be gigabytes.
    for (const want of wants) await from.wanted(want, (frame) => to.put(frame));
    ({ wants, checked } = await to.verify());
  }
  return { sent, checked, applied: await to.commit() };
}

export interface SendOutOptions {
  readonly trusted?: boolean;
  readonly states?: readonly [home: CarrierState, replica: CarrierState];
}

/** What both are now. If one refuses, the other has answered, too: a carrier is asked one thing at a time. */
export async function settleBoth(
  home: CarrierSession,
  replica: CarrierSession,
): Promise<readonly [CarrierState, CarrierState]> {
  const [here, there] = await Promise.allSettled([home.settle(), replica.settle()]);
  if (here.status === 'rejected') throw here.reason;
  if (there.status === 'rejected') throw there.reason;
  return [here.value, there.value];
}

/** The replica gets what home changed since the version that it has, or all of it. `states`: if both were just asked. */
export async function sendOut(
  home: CarrierSession,
  replica: CarrierSession,
  { trusted = false, states }: SendOutOptions = {},
): Promise<Exchanged | undefined> {
  const [{ version }, { at, entries }] = states ?? (await settleBoth(home, replica));
  if (sameVersion(version, at)) return undefined;
  const whole = () => {
    // A replica that has a tree of an unknown version is compared: it asks for the bytes that it lacks.
    const query: ChangesQuery = { of: 'all', bytes: entries <= 1 };
    return exchange([home, replica], query, { version, whole: true, trusted });
  };
  if (at.epoch !== version.epoch) return whole();
  try {
    return await exchange([home, replica], { of: 'since', version: at }, { version, trusted });
  } catch (error) {
    // Home remembers what is gone, but not without end.
    if (error instanceof CarrierError && error.code === 'version-unknown') return whole();
    throw error;
  }
}

/** Home gets what the replica changed; the replica then has home's version, as far as home took it. */
export async function bringHome(
  home: CarrierSession,
  replica: CarrierSession,
  { conflicts = 'keep-agent' }: { readonly conflicts?: 'keep-agent' | 'keep-tool' } = {},
): Promise<{ exchanged: Exchanged; state: CarrierState } | undefined> {
  const { at, dirty, entries } = await replica.settle();
  // One that was just made has only the folder itself, whose owner and mode say nothing about home's.
  const isNew = at.epoch === 0n && entries <= 1;
  if (dirty === 0 || isNew) return undefined;
  const begin = { version: at, theirs: conflicts === 'keep-tool' };
  const exchanged = await exchange([replica, home], { of: 'dirty' }, begin);
  const { version, refused } = exchanged.applied;
  const not = refused.flatMap(({ why, path }) => (why === 'unstable' ? [path] : []));
  return { exchanged, state: await replica.acknowledge(version, not) };
}

/** The replica is what home is, whatever it changed. */
export async function becomeHome(home: CarrierSession, replica: CarrierSession): Promise<void> {
  const { version } = await home.settle();
  await exchange([home, replica], { of: 'all', bytes: false }, { version, whole: true, force: true });
}

/**
 * What the replica changed is kept beside home and never applied; the replica stays as it is. For changes that no
 * command waits for any more.
 */
export async function keepBesideHome(
  home: CarrierSession,
  replica: CarrierSession,
): Promise<Applied | undefined> {
  const { at, dirty, entries } = await replica.settle();
  const isNew = at.epoch === 0n && entries <= 1;
  if (dirty === 0 || isNew) return undefined;
  return (await exchange([replica, home], { of: 'dirty' }, { version: at, keepOnly: true })).applied;
}

/**
 * Puts a file that is kept beside home back at `path`, with its mode and times; it stays kept. What is there then is
 * kept and named. Throws `not-found` if it is not kept any more.
 */
export async function restoreKept(home: CarrierSession, kept: string, path: Buffer): Promise<Applied> {
  // No version: everything that a replica gets later tells of it as of any change at home.
  await home.begin({ version: { epoch: 0n, seq: 0n }, theirs: true });
  await home.take(kept, path);
  const { wants } = await home.verify();
  if (wants.length === 0) return home.commit();
  await home.abort();
  throw new CarrierError('unstable', 'somebody writes into it now');
}

export function sameVersion(a: Version, b: Version): boolean {
  return a.epoch === b.epoch && a.seq === b.seq;
}
