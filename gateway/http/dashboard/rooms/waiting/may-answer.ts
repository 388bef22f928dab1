import { hasRole } from '../../data/dashboard.ts';
import type { Session } from '../../data/session.ts';

/** Whether there is a button at all; the gateway decides each answer by itself. */
export function mayAnswer(session: Session): boolean {
  return hasRole(session, 'approver');
}
