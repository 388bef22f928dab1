import { FrameError } from '../wire/frames.ts';
import { PayloadReader } from './payload.ts';

/**
 * A version of a tree: `seq` counts the batches of changes of one index, and `epoch` names the run that made them; its
 * first 32 bits name the index.
 */
export interface Version {
  readonly epoch: bigint;
  readonly seq: bigint;
}

export function isOfOneIndex(a: Version, b: Version): boolean {
  return a.epoch >> 32n === b.epoch >> 32n;
}

/** The first has the number 1. */
const skipReasons = [
  ...(['special', 'other-device', 'too-deep', 'too-large', 'attributes'] as const),
  ...(['reserved', 'full', 'unreadable'] as const),
] as const;

export type SkipReason = (typeof skipReasons)[number];

export interface CarrierState {
  /** Everything is scanned at each settle: there is no inotify, or there are too few watches. */
  readonly scans: boolean;
  /** The limits of entries or bytes are reached. */
  readonly full: boolean;
  /** The folder that the carrier opened is not at its place any more. */
  readonly lost: boolean;
  /** What an earlier run knew was there. */
  readonly remembered: boolean;
  /** Most of home is gone, and no command took it away: nothing is sent until somebody says that it is meant. */
  readonly suspect: boolean;
  /** At home: all files of the host that the agent's user may open are in its reach, as it may not have a jail. */
  readonly unconfined: boolean;
  readonly version: Version;
  /** The tree's id, in hex: equal trees have equal ids. */
  readonly tree: string;
  readonly entries: number;
  readonly bytes: number;
  /** Of a replica: the version of home that it has; epoch 0 means no version. */
  readonly at: Version;
  /** Of a replica: entries that differ from what home had. */
  readonly dirty: number;
  /** Paths that changed while they were read, up to a hundred. */
  readonly unstable: readonly Buffer[];
  readonly skippedCount: number;
  /** What is in the tree and not carried, up to a hundred. */
  readonly skipped: readonly { readonly why: SkipReason; readonly path: Buffer }[];
  readonly lateCount: number;
  /** Files that somebody wrote after an exchange had replaced or removed them, up to a hundred; each is told once. */
  readonly late: readonly Late[];
  /** Looks at everything in the background, and what they found that was not told: a fault of the carrier. */
  readonly looks: number;
  readonly missed: number;
}

export interface Late {
  readonly path: Buffer;
  /** Where it is, in the folder `kept` of the carrier's area. */
  readonly kept: string;
}

export function parseState(payload: Buffer): CarrierState {
  const reader = new PayloadReader(payload);
  reader.u8();
  const flags = reader.u8();
  const state = {
    ...{ scans: (flags & 1) !== 0, full: (flags & 2) !== 0 },
    ...{ lost: (flags & 4) !== 0, remembered: (flags & 8) !== 0, suspect: (flags & 16) !== 0 },
    unconfined: (flags & 32) !== 0,
    version: readVersion(reader),
    tree: reader.bytes(32).toString('hex'),
    entries: reader.count(),
    bytes: reader.count(),
    at: readVersion(reader),
    dirty: reader.count(),
    unstable: list(reader, (item) => item.path()),
    skippedCount: reader.u32(),
    skipped: list(reader, (item) => ({ why: readSkipReason(item), path: item.path() })),
    lateCount: reader.u32(),
    late: list(reader, readLate),
    ...{ looks: reader.u32(), missed: reader.count() },
  };
  reader.end();
  return state;
}

function readSkipReason(reader: PayloadReader): SkipReason {
  const reason = skipReasons[reader.u8() - 1];
  if (reason === undefined) throw new FrameError('a carrier skips something for a reason that is unknown');
  return reason;
}

function readLate(reader: PayloadReader): Late {
  const kept = `${reader.u64()}/${reader.u32()}`;
  return { kept, path: reader.path() };
}

export function readVersion(reader: PayloadReader): Version {
  return { epoch: reader.u64(), seq: BigInt(reader.count()) };
}

/** `u16 count` and as many items. */
export function list<T>(reader: PayloadReader, read: (reader: PayloadReader) => T): T[] {
  return Array.from({ length: reader.u16() }, () => read(reader));
}

/** What states told of files that were written too late. */
export interface TakenLate {
  readonly count: number;
  readonly files: readonly Late[];
}

/** More than that are only counted. */
const lateMost = 1000;

export function withLate(
  before: TakenLate,
  { lateCount, late }: Pick<CarrierState, 'lateCount' | 'late'>,
): TakenLate {
  if (lateCount === 0) return before;
  const files = [...before.files, ...late].slice(0, lateMost);
  return { count: before.count + lateCount, files };
}
