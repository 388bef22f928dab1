import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApprovalView } from '../../../../src/http-api/approvals.ts';
import type { Client } from '../../../../src/http-api/client.ts';
import { startAlerts } from './alerts.ts';
import { createClock } from './clock.ts';
import { type Collection, createCollection } from './collection.ts';
import { createNotices, type Notices } from './notices.ts';
import type { Router } from './router.ts';
import type { Session, Sessions } from './session.ts';
import { createSharedEvents, type SharedEvents } from './shared-events.ts';

/** What every room has. */
export interface Dashboard {
  readonly session: Session;
  /** The API: a page can do nothing else. */
  readonly client: () => Client;
  readonly events: SharedEvents;
  readonly router: Router;
  readonly notices: Notices;
  readonly clock: ReadonlySignal<number>;
  /** The questions that wait; the frame counts them in every room. */
  readonly waiting: Collection<ApprovalView>;
  readonly signOut: () => Promise<void>;
  readonly close: () => void;
}

export function createDashboard(sessions: Sessions, session: Session, router: Router): Dashboard {
  const { client, end, signOut } = sessions;
  const events = createSharedEvents({ client, end });
  const waiting = createCollection<ApprovalView>({
    events,
    load: (signal) => client().list('approvals', { limit: '1000' }, { signal }),
    keyOf: ({ id }) => id,
    take: (event, rows) => {
      if (event.type === 'approval') return rows.set(event.approval.id, event.approval) === rows;
      return event.type === 'approval-gone' && rows.delete(event.approval.id);
    },
  });
  const stopAlerts = startAlerts(waiting.rows);
  return {
    ...{ session, client, events, router, waiting, signOut },
    notices: createNotices(),
    clock: createClock(),
    close: () => {
      stopAlerts();
      waiting.close();
      events.close();
    },
  };
}

const context = createContext<Dashboard | undefined>(undefined);

export const DashboardProvider = context.Provider;

export function useDashboard(): Dashboard {
  const dashboard = useContext(context);
  if (dashboard === undefined) throw new Error('only what is inside of a room has the dashboard');
  return dashboard;
}

/** The highest role of who is signed in, whatever its scope. */
export function hasRole({ rights }: Session, least: keyof typeof rank): boolean {
  return rights.some(({ role }) => (rank[role as keyof typeof rank] ?? -1) >= rank[least]);
}

/** Global things are for people whose scope is empty. */
export function seesAll({ rights }: Session): boolean {
  return rights.some(({ scope }) => Object.keys(scope).length === 0);
}

const rank = { viewer: 0, approver: 1, operator: 2, admin: 3 } as const;
