/** A container of one agent that serves its commands. Times are epoch milliseconds. */
export interface SessionView {
  /** The agent's and its own: what a list is in the order of. */
  readonly name: string;
  readonly id: string;
  readonly agent: string;
  readonly image: string;
  /** This and the container are empty while it starts. */
  readonly host: string;
  readonly container: string;
  /** `ending`: it takes no more commands. */
  readonly state: 'starting' | 'open' | 'ending';
  /** Commands that are in it now. */
  readonly commands: number;
  readonly since: number;
  readonly usedAt: number;
}

export interface SessionsReset {
  /** Sessions that ended, with all that ran in them. */
  readonly ended: number;
  /** Docker hosts where a container may still be there. */
  readonly unconfirmed: readonly string[];
}
