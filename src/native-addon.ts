import { createRequire } from 'node:module';
import { nativeFile } from './native-file.ts';

/** System calls that Node does not offer: `shim/native/addon` in C. */
export interface NativeAddon {
  /** The credentials of the process at the other end of a connected Unix socket. */
  readonly peerCredentials: (fd: number) => {
    readonly pid: number;
    readonly uid: number;
    readonly gid: number;
  };
  /** flock(2), exclusive, without waiting: false if another process has the lock. */
  readonly lockDescriptor: (fd: number) => boolean;
  /** Nobody can send a descriptor to this listening Unix socket any more; false if the kernel is older than 6.16. */
  readonly refuseDescriptors: (fd: number) => boolean;
  /** Another descriptor of the same open file. */
  readonly duplicate: (fd: number) => number;
  /**
   * From now on this process looks at so many certificates between a peer's own and one that it trusts: those of its
   * clients, and those of servers. Call it before the first connection.
   */
  readonly boundCertificateChains: (ofClients: number, ofServers: number) => void;
  /** This thread's loop turned. From the first call on, if it does not for 50 ms, a signal ends what it waits for. */
  readonly beat: () => void;
}

const names = [
  'peerCredentials',
  'lockDescriptor',
  'refuseDescriptors',
  'duplicate',
  'boundCertificateChains',
  'beat',
] as const;

/** If the addon is missing, does not load, or has another version, throws one line that says how to build it. */
export function loadNativeAddon(path = nativeFile('peercred.node')): NativeAddon {
  const addon = load(path);
  if (names.some((name) => addon[name] === undefined)) throw brokenAddon(path, 'is of another version');
  return addon as NativeAddon;
}

function load(path: string): Partial<NativeAddon> {
  try {
    return createRequire(import.meta.url)(path) as Partial<NativeAddon>;
  } catch (error) {
    // Node puts the paths where it looked on further lines.
    const [why] = (error as Error).message.split('\n');
    throw brokenAddon(path, `cannot be loaded (${why})`, error);
  }
}

export function brokenAddon(path: string, what: string, cause?: unknown): Error {
  return new Error(`the peer-credential addon ${path} ${what}; build it with make -C shim/native`, { cause });
}
