import { status } from '@grpc/grpc-js';
import {
  type ListSessionsRequest,
  type ListSessionsResponse,
  type ResetSessionsRequest,
  type ResetSessionsResponse,
  Session,
} from '../../../src/gen/clawrden/v1/warden.ts';
import { byName } from '../../lists/create-lists.ts';
import type { Seal } from '../../lists/seal.ts';
import { shortTexts, toTime, withShortTexts } from '../../lists/short-texts.ts';
import type { Principal } from '../../ports/principal.ts';
import type { SessionView } from '../../ports/session-view.ts';
import type { Seen } from '../../principals/seen-by.ts';
import { CallRefused } from '../calls/errors.ts';
import { shapeOf } from './warden-lists.ts';

/** Containers that agents keep. */
export interface SessionCalls {
  readonly listSessions: (request: ListSessionsRequest, seen: Seen) => ListSessionsResponse;
  readonly resetSessions: (
    request: ResetSessionsRequest,
    caller: Principal,
    seen: Seen,
  ) => Promise<ResetSessionsResponse>;
}

export function sessionCalls(seal: Seal): SessionCalls {
  return {
    listSessions: ({ limit, pageToken }, { warden }) => {
      const shape = shapeOf(toSession, Session);
      const page = byName(seal, 'sessions', warden.sessions(), { limit, pageToken }, shape);
      return { sessions: page.messages, nextPageToken: page.nextPageToken };
    },
    resetSessions: async ({ agent, reason }, caller, { warden }) => {
      const reset = await warden.resetSessions(agent, caller, reason);
      if (reset === undefined) throw new CallRefused(status.NOT_FOUND, `no agent ${agent}`);
      return { ended: reset.ended, unconfirmed: shortTexts(reset.unconfirmed) };
    },
  };
}

function toSession({ name: _name, since, usedAt, ...same }: SessionView): Session {
  return { ...withShortTexts(same), since: toTime(since), usedAt: toTime(usedAt) };
}
