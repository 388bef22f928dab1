import type { Identity } from '../../../command.ts';
import type { Inspected } from './inspected.ts';

/** An entry of `/clawrden/bin`, as the agent sees it. */
export interface JailEntry {
  readonly name: string;
  readonly type: 'file' | 'link' | 'other';
  /** Where a link leads. */
  readonly target: string;
  /** Of a file. */
  readonly bytes: Buffer;
  readonly mode: number;
}

/** A text of the container that a shell of the agent's user reads when it starts. */
export interface StartupFile {
  readonly path: string;
  readonly text: string;
}

/** What is seen of an agent's container from outside. Nothing of it is run. */
export interface JailFacts {
  readonly container: Inspected;
  /** `undefined` if there is no such folder. */
  readonly jail: readonly JailEntry[] | undefined;
  /** Whether `/var/run/clawrden/warden.sock` is a socket. */
  readonly hasSocket: boolean;
  /** The ids of the container's user; `undefined` if it is a name that the image does not explain. */
  readonly user: Identity | undefined;
  /** Its image has that user in `/etc/passwd`. */
  readonly isUserKnown: boolean;
  readonly startupFiles: readonly StartupFile[];
  /** The user's `~/.local/bin` is there. */
  readonly hasLocalBin: boolean;
  /** Programs that should be locked and that PATH finds outside of the jail, by their paths. */
  readonly unlocked: readonly string[];
  /** Volumes that the engine mounts from elsewhere (a device, a folder, a network). */
  readonly foreignVolumes: readonly string[];
}

/** How an agent's container has to be. */
export interface JailWanted {
  readonly agent: string;
  /** What its container should have of its way out; absent if it has none. */
  readonly wayOut?: { readonly environment: readonly string[] };
  readonly users: readonly Identity[];
  /** The jail's folder on the agent host. */
  readonly jail: string;
  /** The folder of its socket there. */
  readonly socketFolder: string;
  /** Sockets of engines on the agent host. */
  readonly engines: readonly string[];
  /** The bytes of the shim; `undefined` if it is not built here. */
  readonly shim: Buffer | undefined;
  /** The real path of a path of the agent host; the path itself if there is none. */
  readonly realPath: (path: string) => string;
}
