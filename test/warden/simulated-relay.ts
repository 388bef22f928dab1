import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { SynchronizeResponse } from '../../src/gen/clawrden/v1/relay.ts';

/** A relay without agents' sockets: it takes what it is told, and reports that it has done so. */
export interface SimulatedRelay {
  readonly name: string;
  /** Names of the agents that it was told of last; absent while it is away. */
  readonly told: () => readonly string[] | undefined;
  /** Over which it asks for commands; absent while it is away. */
  readonly client: () => GatewayClient | undefined;
  readonly join: () => Promise<void>;
  readonly leave: () => void;
}

export function simulateRelay(name: string, connect: () => Promise<GatewayClient>): SimulatedRelay {
  let present: { readonly client: GatewayClient; told: readonly string[] } | undefined;
  return {
    name,
    told: () => present?.told,
    client: () => present?.client,
    join: async () => {
      const client = await connect();
      const here = { client, told: [] as readonly string[] };
      present = here;
      const stream = client.synchronize();
      stream.on('error', () => {});
      stream.on('data', ({ agents }: SynchronizeResponse) => {
        here.told = agents.map((agent) => agent.name);
        stream.write({ version: 'test', contract: 0, agents: agents.map(reportOf) });
      });
    },
    leave: () => {
      present?.client.close();
      present = undefined;
    },
  };
}

function reportOf({ name, tools, paused, killed }: SynchronizeResponse['agents'][number]) {
  return { name, tools, containerRunning: true, problem: '', halted: paused || killed };
}
