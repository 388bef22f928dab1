import type { Destination } from './destination.ts';

/** What a network of the policy lets be reached. */
export interface NetworkReach {
  /** The name of the network, for people. */
  readonly network: string;
  readonly allow: readonly Destination[];
  /** Names of routes of gateway.yaml. */
  readonly routes: readonly string[];
}

/** What a tool or an agent may reach, in full. */
export interface Reach extends Omit<NetworkReach, 'routes'> {
  readonly routes: readonly PlannedRoute[];
  /** Bytes of all connections together; absent: no limit. */
  readonly most?: ReachBytes;
  /** Present while somebody learns what the tool needs: it may reach every public address besides. */
  readonly learns?: Learns;
}

/** Who learns, and which time it is: what is said of one learning holds for no other. */
export interface Learns {
  /** The principal, as KIND:NAME. */
  readonly by: string;
  readonly id: string;
}

/** To destinations, and from there. */
export interface ReachBytes {
  readonly up?: number;
  readonly down?: number;
}

/** Nothing. */
export const noReach: NetworkReach = { network: '', allow: [], routes: [] };

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
