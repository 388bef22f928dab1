import { createRequire } from 'node:module';
import { nativeFile } from './native-file.ts';

/** What Node has no call for: `shim/native/addon` in C. */
export interface NativeAddon {
  /** Of the process at the other end of a connected Unix socket. */
  readonly peerCredentials: (fd: number) => {
    readonly pid: number;
    readonly uid: number;
    readonly gid: number;
  };
  /** flock(2), exclusive, not waited for: false where another process has it. */
  readonly lockDescriptor: (fd: number) => boolean;
}

/** Throws one line that says how to build it where it is missing, does not load, or is of another version. */
export function loadNativeAddon(path = nativeFile('peercred.node')): NativeAddon {
  const addon = load(path);
  if (addon.peerCredentials === undefined || addon.lockDescriptor === undefined) {
    throw brokenAddon(path, 'is of another version');
  }
  return addon as NativeAddon;
}

function load(path: string): Partial<NativeAddon> {
  try {
    return createRequire(import.meta.url)(path) as Partial<NativeAddon>;
  } catch (error) {
    // Node says where it looked on further lines.
    const [why] = (error as Error).message.split('\n');
    throw brokenAddon(path, `cannot be loaded (${why})`, error);
  }
}

export function brokenAddon(path: string, what: string, cause?: unknown): Error {
  return new Error(`the peer-credential addon ${path} ${what}; build it with make -C shim/native`, { cause });
}
