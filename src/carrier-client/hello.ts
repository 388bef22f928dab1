import type { CarrierRole } from './carrier-error.ts';
import { carrierProtocol } from './carrier-frame.ts';
import { text, u8, u16, u32, u64 } from './payload.ts';

/** What a carrier is told before anything else. */
export interface Hello {
  readonly role: CarrierRole;
  /** At home, in a container that has the workspace mounted at `root`, and nothing else of the host. */
  readonly contained?: boolean;
  /** The agent's, whose user and group a carrier at home takes if it starts as root. */
  readonly uid: number;
  readonly gid: number;
  readonly limits: CarrierLimits;
  /** Absolute: the tree. */
  readonly root: string;
  /** Absolute, on the same file system: the folder for the carrier's own files, made if it is missing. */
  readonly area: string;
  /** A name, anywhere in the tree, or a path from its root. */
  readonly excludes?: readonly string[];
  /** Of what was not taken: how long it stays, and how much of it; the newest always does. */
  readonly kept?: KeptLimits;
}

export interface KeptLimits {
  readonly seconds: number;
  readonly bytes: number;
}

export interface CarrierLimits {
  readonly entries: number;
  readonly bytes: number;
  readonly file: number;
  readonly depth: number;
}

export const defaultLimits: CarrierLimits = {
  entries: 200_000,
  bytes: 10 * 1024 ** 3,
  file: 4 * 1024 ** 3,
  depth: 255,
};

const defaultKept: KeptLimits = { seconds: 30 * 86_400, bytes: 1024 ** 3 };

const roles = { home: 1, replica: 2, contained: 3 } as const;

export function encodeHello(hello: Hello): Buffer {
  const { role, contained = false, uid, gid, limits, root, area, excludes = [], kept = defaultKept } = hello;
  return Buffer.concat([
    ...[u8(carrierProtocol), u8(roles[contained ? 'contained' : role]), u32(uid), u32(gid)],
    ...[u64(limits.entries), u64(limits.bytes), u64(limits.file), u32(limits.depth)],
    ...[u32(kept.seconds), u64(kept.bytes)],
    ...[text(root), text(area), u16(excludes.length), ...excludes.map(text)],
  ]);
}
