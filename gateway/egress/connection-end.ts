import { EgressError } from '../../src/egress/egress-error.ts';
import type { ConnectionRecord } from '../audit/connection-record.ts';
import type { Visit } from './visit.ts';

/** How a connection ended, as its record says it. */
export type End = Pick<ConnectionRecord, 'outcome' | 'text'>;

export function faultOf(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new EgressError('unreachable', 'the destination does not answer as it should', code ?? message);
}

export function endOf({ fault, message, detail }: EgressError): End {
  return { outcome: fault, text: detail === '' ? message : `${message}: ${detail}` };
}

const longestTo = 255;
const longestText = 600;

/** A secret that a cut has gone through is not found, so texts are masked first. */
export function recordOf({ way, facts }: Visit, end: End, ms: number): ConnectionRecord {
  const { execution, agent, reach, account, hide } = way;
  const { address, up, down, isLearned } = facts;
  const turnedAway = account.takeTurnedAway();
  const [to, text] = [hide(facts.to).slice(0, longestTo), hide(end.text).slice(0, longestText)];
  return {
    type: 'connection',
    ...{ execution, agent, network: reach.network, to, route: hide(facts.route), address },
    ...{ outcome: end.outcome, text, up, down, ms },
    ...(isLearned && { learned: true as const }),
    ...(turnedAway > 0 && { turnedAway }),
  };
}
