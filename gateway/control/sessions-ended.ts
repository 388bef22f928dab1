import type { Sessions } from '../scheduler/sessions/sessions.ts';
import type { KillSwitchParts } from './kill-switch.ts';

/** What the kill switch waits for: each session that it ends. */
export function sessionsEnded(sessions: Pick<Sessions, 'end'>): KillSwitchParts['sessionsEnded'] {
  return (concerned) =>
    sessions.end(concerned, 'its agent was stopped').map(({ agent, host, gone }) => ({
      name: () => `a session of agent ${agent} on ${host || 'no host yet'}`,
      over: gone.then((isGone) => (isGone ? undefined : new Promise(() => {}))),
    }));
}
