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

export function recordOf({ way, facts }: Visit, end: End, ms: number): ConnectionRecord {
  const { execution, agent, reach, account, hide } = way;
  const { address, up, down, isLearned } = facts;
  const turnedAway = account.takeTurnedAway();
  return {
    type: 'connection',
    ...{ execution, agent, network: reach.network, to: hide(facts.to), route: hide(facts.route), address },
    ...{ outcome: end.outcome, text: hide(end.text), up, down, ms },
    ...(isLearned && { learned: true as const }),
    ...(turnedAway > 0 && { turnedAway }),
  };
}
