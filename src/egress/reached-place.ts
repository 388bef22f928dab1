/** What connections of one execution had in common: history has these, the audit each connection. */
export interface ReachedPlace {
  /** `NAME:PORT`; of a request that could not be read its beginning. */
  readonly to: string;
  /** Empty unless it was a route. */
  readonly route: string;
  /** As in a `connection` record; `other`: places of which there were too many. */
  readonly outcome: string;
  times: number;
  up: number;
  down: number;
}
