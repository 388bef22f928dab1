import type { Duplex } from 'node:stream';
import type { Faults } from '../../src/faults.ts';
import type { OpenWayOut, WayOut } from '../ports/way-out.ts';
import { openAccount } from './account.ts';
import type { Egress } from './open-egress.ts';
import type { AgentWay, Way } from './way.ts';

/** What one execution spends, it spends for all of its connections. */
export function openWayOutWith(create: CreateWayOut): OpenWayOut {
  return (traveller, reach) => create({ ...traveller, reach, account: openAccount(reach.most ?? {}) });
}

/** Of one execution, with all that a way has; or of an agent, which nobody is told of. */
export type CreateWayOut = (way: Way | (AgentWay & Pick<Way, 'account' | 'signal' | 'mcp'>)) => WayOut;

const ofAgent = { execution: '', refused: () => {}, hide: (text: string) => text, ended: () => {} };

export function wayOutMaker({ serve }: Pick<Egress, 'serve'>, faults: Faults): CreateWayOut {
  return (given) => {
    const way = { ...ofAgent, ...given };
    const serving = new Set<Promise<void>>();
    return {
      serve: (client: Duplex, isOfUser: boolean) => {
        const served: Promise<void> = serve(client, way, isOfUser)
          .catch((error: unknown) => faults.report('a connection of a way out', error))
          .finally(() => serving.delete(served));
        serving.add(served);
      },
      closed: async () => void (await Promise.all(serving)),
    };
  };
}
