import type { AuditLog } from '../audit/audit-log.ts';
import type { BrowserSessions, SignInCodes } from '../ports/browser-sessions.ts';
import type { Principals } from '../principals/open-principals.ts';
import { createBrowserSessions, sessionLimits } from './browser-sessions.ts';
import { createSignInCodes } from './sign-in-codes.ts';

/** Browsers that are signed in, and the codes that sign one in. */
export interface Browsers {
  readonly sessions: BrowserSessions;
  readonly codes: SignInCodes;
}

export function openBrowsers(
  { append }: Pick<AuditLog, 'append'>,
  { onRevoked, freshen }: Pick<Principals, 'onRevoked' | 'freshen'>,
): Browsers {
  const sessions = createBrowserSessions(append, sessionLimits, freshen);
  onRevoked(sessions.tidy);
  return { sessions, codes: createSignInCodes({ sessions, record: append }) };
}
