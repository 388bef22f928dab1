import type { ComponentType } from 'preact';
import type { Session } from '../data/session.ts';

/** A room of the dashboard. */
export interface Room {
  readonly name: string;
  /** Where its link in the navigation leads. */
  readonly path: string;
  /** Absent: everybody who is signed in. The API refuses by itself; this only spares people a door that is locked. */
  readonly mayEnter?: (session: Session) => boolean;
  readonly views: readonly View[];
}

export interface View {
  /** `/hosts/:name`; it also stands in `gateway/http/browser/dashboard-pages.ts`, or a link to it does not open. */
  readonly path: string;
  readonly show: ComponentType<{ readonly params: Readonly<Record<string, string>> }>;
  /** Without the navigation, for a small screen. */
  readonly alone?: boolean;
}
