import { once } from 'node:events';
import { expect, test } from 'vitest';
import { refusingRelays } from '../../gateway/control/relay-views.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { contract } from '../../src/wire/contract.ts';
import { relay, startTestGateway } from './gateway.ts';

const agent = { name: 'coder', containerRunning: true, tools: [], problem: '', halted: false };

test('a relay that needs more than its gateway has is named until it does not, and its agents are not online', async () => {
  const told = { name: 'coder', tools: [], users: [], paused: false, killed: false };
  await using gateway = await startTestGateway({ state: () => ({ lockdown: false, agents: [told] }) });
  const identityDir = await gateway.identity(relay);
  const coder = { name: 'coder', relay: relay.name } as AgentConfig;
  /** What a relay that needs so much reports, over a connection of its own, which then ends. */
  async function report(needed: number, version: string): Promise<void> {
    const client = await connectGateway({ address: gateway.address, identityDir });
    const stream = client.synchronize();
    stream.on('error', () => {});
    await once(stream, 'data');
    stream.write({ version, contract: needed, agents: [agent] });
    await expect.poll(() => gateway.relays.places().get(relay.name)?.version).toBe(version);
    expect(gateway.relays.report(coder)?.name).toBe(needed > contract ? undefined : 'coder');
    stream.end();
    await new Promise((resolve) => stream.once('status', resolve));
    client.close();
  }
  await report(contract, '1.0');
  expect(refusingRelays(gateway.relays)).toEqual([]);
  await report(contract + 1, '2.0');
  expect(refusingRelays(gateway.relays)).toEqual([
    `relay ${relay.name} of version 2.0 serves nothing, because this gateway is older: upgrade the gateway first`,
  ]);
  await report(0, '0.9');
  expect(refusingRelays(gateway.relays)).toEqual([]);
});
