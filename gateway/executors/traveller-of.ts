import type { ConnectionRecord } from '../audit/connection-record.ts';
import { createConnectionTally } from '../execution/connection-tally.ts';
import type { Execution } from '../execution/execution.ts';
import type { Traveller } from '../ports/way-out.ts';

/** On whose behalf the connections of an execution are made; its history has where they led. */
export function travellerOf(
  execution: Execution,
  agent: string,
  { signal = execution.signal, refused = () => {}, hide = (text) => text }: Partial<Traveller>,
): Traveller {
  const tally = createConnectionTally();
  const ended = (connection: ConnectionRecord) => {
    tally.add(connection);
    execution.reached(tally.told());
  };
  return { execution: execution.record.id, agent, signal, refused, hide, ended };
}
