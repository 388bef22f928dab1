import type { TlsFiles } from '../lab/names.ts';

/** What a stack runs on: a lab, or the one engine that a user can reach. */
export interface Machines {
  /** Where the stack may keep its files. */
  readonly dir: string;
  readonly hosts: readonly { readonly name: string; readonly url: string; readonly tls?: TlsFiles }[];
  readonly agentHost: { readonly socket: string };
  /** A folder for an agent that every engine sees at the path returned. */
  readonly workspace: (name: string) => Promise<string>;
}
