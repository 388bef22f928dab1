import { type CarrierState, readVersion, type Version } from './carrier-state.ts';
import { PayloadReader, text, u8, u32, u64 } from './payload.ts';

/** Which entries are sent. `since` of another epoch fails with `version-unknown`. */
export type ChangesQuery =
  /** Without `bytes` the receiver asks for what it has not: a full compare. */
  | { readonly of: 'all'; readonly bytes?: boolean }
  | { readonly of: 'since'; readonly version: Version }
  /** What a replica has that home has not. */
  | { readonly of: 'dirty' };

export interface ChangesDone {
  readonly version: Version;
  readonly tree: string;
  readonly entries: number;
  /** Entries that changed while they were sent; they come again with the next changes. */
  readonly unstable: number;
}

export interface BeginOptions {
  /** To a replica: home's version. To home: the version of home that the replica had. */
  readonly version: Version;
  /** Whatever is there is overwritten, if its tree still has this id: `verify` fails with `unstable` otherwise. */
  readonly force?: string;
  /** All of a tree comes: what is not named is not in it. */
  readonly whole?: boolean;
  /** To home: of two changes the sender's stands, and what was there is kept. */
  readonly theirs?: boolean;
  /** However much goes, somebody said that it is meant. */
  readonly trusted?: boolean;
  /** To home: nothing of it is applied; files of it are kept, and named. */
  readonly keepOnly?: boolean;
}

export interface Checked {
  readonly changes: number;
  readonly deletes: number;
  readonly conflicts: number;
  readonly unstable: number;
  /** Living entries before any of it. */
  readonly entries: number;
}

export interface Verified {
  /** To be handed to the sending carrier; then `verify` again. */
  readonly wants: readonly Buffer[];
  readonly checked: Checked;
}

const refusedWhys = ['conflict', 'unstable', 'replaced'] as const;

export type RefusedWhy = (typeof refusedWhys)[number];

export interface Refused {
  readonly path: Buffer;
  /** Both sides changed it; its bytes changed on the way or its folder was away; or both changed it and the sender's stands. */
  readonly why: RefusedWhy;
  /** Where the one that does not stand is kept, in the folder `kept` of the receiver's area. */
  readonly kept?: string;
}

export interface Applied {
  /** The receiver's version that the sender now has; epoch 0: none. */
  readonly version: Version;
  readonly tree: string;
  readonly done: number;
  readonly refusedCount: number;
  readonly refused: readonly Refused[];
}

export interface ReadFrom {
  readonly of: 'tree' | 'kept';
  readonly path: Buffer;
  readonly offset?: number;
  readonly length?: number;
}

const mostRead = 512 * 1024;

export function encodeRead({ of, path, offset = 0, length = mostRead }: ReadFrom): Buffer {
  return Buffer.concat([u8(of === 'tree' ? 0 : 1), text(path), u64(offset), u32(length)]);
}

export function encodeTake(kept: string, path: Buffer): Buffer {
  return Buffer.concat([text(kept), text(path)]);
}

export function encodeQuery(query: ChangesQuery): Buffer {
  const bytes = query.of !== 'all' || query.bytes !== false;
  const how = { all: 0, since: 1, dirty: 2 }[query.of];
  const { epoch, seq } = query.of === 'since' ? query.version : { epoch: 0n, seq: 0n };
  return Buffer.concat([u8(how), u8(bytes ? 1 : 0), u64(epoch), u64(seq)]);
}

export function encodeBegin({ version, force, whole, theirs, trusted, keepOnly }: BeginOptions): Buffer {
  const flags = [force !== undefined, whole, theirs, trusted, keepOnly].reduce(
    (sum, flag, bit) => sum + (flag ? 1 << bit : 0),
    0,
  );
  const tree = Buffer.from(force ?? '', 'hex');
  return Buffer.concat([u8(flags), u64(version.epoch), u64(version.seq), tree]);
}

export function encodeAcknowledge({ epoch, seq }: Version, not: readonly Buffer[]): Buffer {
  return Buffer.concat([u64(epoch), u64(seq), u32(not.length), ...not.map(text)]);
}

export function parseDone(payload: Buffer): ChangesDone {
  const reader = new PayloadReader(payload);
  const version = readVersion(reader);
  const done = { version, tree: readTree(reader), entries: reader.u32(), unstable: reader.u32() };
  reader.end();
  return done;
}

export function parseChecked(payload: Buffer): Checked {
  const reader = new PayloadReader(payload);
  reader.u32();
  const checked = {
    ...{ changes: reader.u32(), deletes: reader.u32(), conflicts: reader.u32() },
    ...{ unstable: reader.u32(), entries: reader.count() },
  };
  reader.end();
  return checked;
}

export function parseApplied(payload: Buffer): Applied {
  const reader = new PayloadReader(payload);
  const version = readVersion(reader);
  const [tree, done, folder, refusedCount] = [readTree(reader), reader.u32(), reader.u64(), reader.u32()];
  const refused = Array.from({ length: reader.u32() }, () => readRefused(reader, folder));
  reader.end();
  return { version, tree, done, refusedCount, refused };
}

/** What was taken out for what came and could not go back, as a state tells of what is late. */
export function replacedIn({ refused }: Applied): Pick<CarrierState, 'lateCount' | 'late'> {
  const late = refused.flatMap(({ why, path, kept = '' }) => (why === 'replaced' ? [{ path, kept }] : []));
  return { lateCount: late.length, late };
}

function readRefused(reader: PayloadReader, folder: bigint): Refused {
  const [how, kept, number, path] = [reader.u8(), reader.u8(), reader.u32(), reader.path()];
  const why = refusedWhys[how] ?? 'conflict';
  return { path, why, ...(kept === 0 ? {} : { kept: `${folder}/${number}` }) };
}

function readTree(reader: PayloadReader): string {
  return reader.bytes(32).toString('hex');
}
