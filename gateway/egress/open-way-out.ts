import type { Duplex } from 'node:stream';
import type { Faults } from '../../src/faults.ts';
import type { OpenWayOut } from '../ports/way-out.ts';
import { openAccount } from './account.ts';
import type { Egress } from './open-egress.ts';

/** What one execution spends, it spends for all of its connections. */
export function createWayOut({ serve }: Pick<Egress, 'serve'>, faults: Faults): OpenWayOut {
  return (traveller, reach) => {
    const way = { ...traveller, reach, account: openAccount(reach.most ?? {}) };
    const serving = new Set<Promise<void>>();
    return {
      serve: (client: Duplex) => {
        const served: Promise<void> = serve(client, way)
          .catch((error: unknown) => faults.report('a connection of a tool', error))
          .finally(() => serving.delete(served));
        serving.add(served);
      },
      closed: async () => void (await Promise.all(serving)),
    };
  };
}
