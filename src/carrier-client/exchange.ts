import { type MostAnswered, mostOfWorkspace } from './bounded-answer.ts';
import { CarrierError } from './carrier-error.ts';
import type { CarrierSession } from './carrier-session.ts';
import type { CarrierState, Version } from './carrier-state.ts';
import type { Applied, BeginOptions, ChangesDone, ChangesQuery, Checked } from './exchange-frames.ts';
import { FetchAhead } from './fetch-ahead.ts';
import type { CarrierLimits } from './hello.ts';

export interface Exchanged {
  readonly sent: ChangesDone;
  readonly checked: Checked;
  readonly applied: Applied;
}

/** Does `work` with home while nobody else does; what is done with the replica alone is done outside of it. */
export type HomeTurn = <T>(work: (home: CarrierSession) => Promise<T>) => Promise<T>;

/** A home that nobody else uses needs no turns. */
type Home = HomeTurn | CarrierSession;

function turnOf(home: Home): HomeTurn {
  return typeof home === 'function' ? home : (work) => work(home);
}

/** What came until it failed takes room, and keeps the receiver from its own looks. */
async function orAbort<T>(to: CarrierSession, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (to.idle) await to.abort().catch(() => {});
    throw error;
  }
}

/** One after the other: a want names blocks of one file, and the answer can be gigabytes. `to` wants no more than `most` bytes. */
async function sendWanted(
  from: CarrierSession,
  to: CarrierSession,
  wants: readonly Buffer[],
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  let left = most;
  for (const want of wants)
    await from.wanted(want, (frame) => {
      left -= frame.payload.length;
      if (left < 0) throw endedBy(to, 'bad-want', 'it wants more than there is');
      return to.put(frame);
    });
}

function endedBy({ role }: CarrierSession, code: string, text: string): CarrierError {
  return new CarrierError(code, text, { isOver: true, role });
}

/** Of a tree, with what chunks cost; a file may grow between two looks. */
function mostWanted({ bytes, entries }: CarrierState): number {
  return 2 * bytes + entries * 4096 + 64 * 1024 ** 2;
}

/** What home has takes its turn as long as home sends; what the replica then makes of it does not. */
async function giveOut(
  turn: HomeTurn,
  replica: CarrierSession,
  start: (home: CarrierSession) => Promise<ChangesDone | undefined>,
  here: () => CarrierState | undefined,
): Promise<Exchanged | undefined> {
  return await orAbort(replica, async () => {
    const sent = await turn(start);
    if (sent === undefined) return undefined;
    let { wants, checked } = await replica.verify();
    if (wants.length > 0) {
      const state = here();
      const most = state && mostWanted(state);
      await turn((home) => sendWanted(home, replica, wants, most));
      ({ wants, checked } = await replica.verify());
    }
    return { sent, checked, applied: await replica.commit() };
  });
}

/** The replica is asked first, and home takes its turn when the answer is there. */
async function takeHome(
  turn: HomeTurn,
  replica: CarrierSession,
  begin: BeginOptions,
  { limits, onApplied }: Pick<BringOptions, 'limits' | 'onApplied'>,
): Promise<Exchanged> {
  const most: MostAnswered | undefined = limits && mostOfWorkspace(limits);
  const ahead = new FetchAhead(replica, { of: 'dirty' }, most);
  try {
    await ahead.ready;
    return await turn(async (home) => {
      const exchanged = await applyAtHome(home, replica, ahead, begin);
      onApplied?.(exchanged.applied);
      return exchanged;
    });
  } catch (error) {
    ahead.stop(error);
    throw error;
  }
}

async function applyAtHome(
  home: CarrierSession,
  replica: CarrierSession,
  ahead: FetchAhead,
  begin: BeginOptions,
): Promise<Exchanged> {
  await home.begin(begin);
  return await orAbort(home, async () => {
    const sent = await ahead.into((frame) => home.put(frame));
    let { wants, checked } = await home.verify();
    if (wants.length > 0) {
      await sendWanted(replica, home, wants);
      ({ wants, checked } = await home.verify());
    }
    if (begin.keepOnly === true && sent.unstable + checked.unstable > 0)
      throw new CarrierError('unstable', 'something writes there, and no command does', { role: 'replica' });
    // Who waits for it has heard that it is gone.
    if (!replica.alive)
      throw endedBy(replica, 'carrier-lost', 'the carrier ended before its changes were taken');
    return { sent, checked, applied: await home.commit() };
  });
}

/** The replica gets what home changed since the version that it has, or all of it. */
export async function sendOut(
  home: Home,
  replica: CarrierSession,
  how: MeetOptions = {},
): Promise<Exchanged | undefined> {
  return (await meetHome(home, replica, how)).exchanged;
}

export interface MeetOptions extends Pick<BringOptions, 'limits' | 'there'> {
  /** What is gone from home is meant to be gone. */
  readonly trusted?: boolean;
  /** The replica is what home is, whatever it changed. */
  readonly force?: boolean;
}

export interface MetHome {
  /** What home was. */
  readonly here: CarrierState;
  readonly exchanged: Exchanged | undefined;
}

/** As `sendOut`. `force`: it is what home is, whatever it changed until it was asked. */
export async function meetHome(
  home: Home,
  replica: CarrierSession,
  { trusted = false, force = false, limits, ...how }: MeetOptions = {},
): Promise<MetHome> {
  const there = how.there ?? (await replica.settle());
  const most = limits && mostOfWorkspace(limits);
  let here: CarrierState | undefined;
  const begin = async (session: CarrierSession) => {
    here = await session.settle();
    const sides: Sides = { home: session, replica, here, most };
    if (force) return await sendAll(sides, { force: there.tree });
    return sameVersion(here.version, there.at) ? undefined : await sendNewer(sides, there, trusted);
  };
  const exchanged = await giveOut(turnOf(home), replica, begin, () => here);
  if (here === undefined) throw new CarrierError('carrier-failed', 'home was not asked');
  return { here, exchanged };
}

/** What one answer of home goes from and to, what home is then, and how large the answer may be. */
interface Sides {
  readonly home: CarrierSession;
  readonly replica: CarrierSession;
  readonly here: CarrierState;
  readonly most: MostAnswered | undefined;
}

async function sendNewer(
  sides: Sides,
  { at, entries }: CarrierState,
  trusted: boolean,
): Promise<ChangesDone> {
  const { version } = sides.here;
  // A replica that has a tree of an unknown version is compared: it asks for the bytes that it lacks.
  const whole = () => sendAll(sides, { trusted, bytes: entries <= 1 });
  if (at.epoch === 0n) return whole();
  try {
    return await send(sides, { of: 'since', version: at }, { version, trusted });
  } catch (error) {
    // Home remembers what is gone, and its former epochs, but not without end.
    if (error instanceof CarrierError && error.code === 'version-unknown') return whole();
    throw error;
  }
}

function sendAll(
  sides: Sides,
  {
    bytes = false,
    ...how
  }: { readonly bytes?: boolean; readonly trusted?: boolean; readonly force?: string },
): Promise<ChangesDone> {
  const { version } = sides.here;
  return send(sides, { of: 'all', bytes }, { version, whole: true, ...how });
}

async function send(
  { home, replica, most }: Sides,
  query: ChangesQuery,
  begin: BeginOptions,
): Promise<ChangesDone> {
  await replica.begin(begin);
  return await home.changes(query, (frame) => replica.put(frame), most);
}

export interface BringOptions {
  readonly conflicts?: 'keep-agent' | 'keep-tool';
  /** Of the workspace: a carrier that sends more is not listened to. */
  readonly limits?: CarrierLimits;
  /** If the replica was just asked. */
  readonly there?: CarrierState;
  /** Called once home has it. What follows may fail, and home does not tell again what it kept. */
  readonly onApplied?: (applied: Applied) => void;
}

/** Home gets what the replica changed; the replica then has home's version, as far as home took it. */
export async function bringHome(
  home: Home,
  replica: CarrierSession,
  { conflicts = 'keep-agent', there, ...how }: BringOptions = {},
): Promise<{ exchanged: Exchanged; state: CarrierState } | undefined> {
  const state = there ?? (await replica.settle());
  if (!isDirty(state)) return undefined;
  const begin = { version: state.at, theirs: conflicts === 'keep-tool' };
  const exchanged = await takeHome(turnOf(home), replica, begin, how);
  const { version, refused, refusedCount } = exchanged.applied;
  const not = refused.flatMap(({ why, path }) => (why === 'unstable' ? [path] : []));
  // Home tells those first: if more of them may be untold, all comes again, and what home has by then is nothing to do.
  const areTold = refusedCount === refused.length || not.length < refused.length;
  if (areTold) return { exchanged, state: await replica.acknowledge(version, not) };
  return { exchanged, state: { ...(await replica.settle()), unstable: not } };
}

/** The replica is what home is, whatever it changed until it was asked; throws `unstable` if something changed since. */
export async function becomeHome(
  home: Home,
  replica: CarrierSession,
  how: Pick<BringOptions, 'limits' | 'there'> = {},
): Promise<MetHome> {
  return await meetHome(home, replica, { ...how, force: true });
}

/**
 * What the replica changed is kept beside home and never applied; the replica stays as it is. For changes that no
 * command waits for any more. Throws `unstable`, and nothing is kept, if something changed while it was read.
 */
export async function keepBesideHome(
  home: Home,
  replica: CarrierSession,
  { there, ...how }: Pick<BringOptions, 'limits' | 'there'> = {},
): Promise<Applied | undefined> {
  const state = there ?? (await replica.settle());
  if (!isDirty(state)) return undefined;
  const begin = { version: state.at, keepOnly: true };
  return (await takeHome(turnOf(home), replica, begin, how)).applied;
}

/** It has something that home has not. One that was just made has only the folder itself, which says nothing about home's. */
export function isDirty({ at, dirty, entries }: CarrierState): boolean {
  return dirty > 0 && !(at.epoch === 0n && entries <= 1);
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
