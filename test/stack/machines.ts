import type { TlsFiles } from '../lab/names.ts';

/** What a stack runs on: a lab, or the only engine that a user can reach. */
export interface Machines {
  /** Where the stack may keep its files. */
  readonly dir: string;
  readonly hosts: readonly { readonly name: string; readonly url: string; readonly tls?: TlsFiles }[];
  readonly agentHost: { readonly socket: string };
  /** A folder for an agent that every engine has at the returned path. */
  readonly workspace: (name: string) => Promise<string>;
  /** A folder for an agent that only the agents' engine has; absent if there is one engine for all. */
  readonly home?: (name: string) => Promise<string>;
}
