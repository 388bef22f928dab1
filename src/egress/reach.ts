import type { Destination } from './destination.ts';

/** What a tool or an agent may reach. */
export interface Reach {
  /** The name of the network, for people. */
  readonly network: string;
  readonly allow: readonly Destination[];
  readonly routes: readonly PlannedRoute[];
}

/** Nothing. */
export const noReach: Reach = { network: '', allow: [], routes: [] };

/** All of a route that a person must know who decides on it. */
export interface PlannedRoute {
  readonly name: string;
  /** `https://HOST[:PORT]/[PATH/]`, or `http://`. */
  readonly to: string;
  readonly methods: readonly string[];
  /** Names of the headers that the gateway adds, and of the secrets in them. */
  readonly headers: readonly string[];
  readonly secrets: readonly string[];
  readonly private?: true;
}
