import type { AgentSessionJson } from '../../src/http-api/agent-sessions.ts';
import { byName } from '../lists/create-lists.ts';
import { createSeal } from '../lists/seal.ts';
import { shortTexts, toTime, withShortTexts } from '../lists/short-texts.ts';
import type { SessionView } from '../ports/session-view.ts';
import type { Handlers } from './add-routes.ts';
import { shapeOf, toPage } from './pages.ts';
import { HttpRefused } from './problem.ts';

/** Containers that agents keep. */
export function agentSessionHandlers(): Pick<Handlers, 'agentSessions' | 'resetSessions'> {
  const seal = createSeal();
  return {
    agentSessions: ({ query, seen }) => {
      const page = byName(seal, 'sessions', seen.warden.sessions(), toPage(query), shapeOf(toSessionJson));
      return { sessions: page.messages, nextCursor: page.nextPageToken };
    },
    resetSessions: async ({ params: { agent }, query: { reason = '' }, seen, caller }) => {
      const reset = await seen.warden.resetSessions(agent, caller, reason);
      if (reset === undefined) throw new HttpRefused(404, `no agent ${agent}`);
      return { ended: reset.ended, unconfirmed: shortTexts(reset.unconfirmed) };
    },
  };
}

function toSessionJson({ name: _name, since, usedAt, ...same }: SessionView): AgentSessionJson {
  return { ...withShortTexts(same), since: toTime(since), usedAt: toTime(usedAt) };
}
