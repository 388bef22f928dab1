import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { AgentReport } from '../../src/gen/clawrden/v1/relay.ts';
import { sharedPolicy } from '../fixtures/shared-policy.ts';
import { connectRelay } from '../grpc/connect-relay.ts';
import { type GatewaySite, makeGatewaySite } from '../stack/gateway-site.ts';

/** A gateway with two relays: `host-1` has the agent `coder`, `host-2` has `other`. The test speaks for both. */
export interface TwoRelays extends AsyncDisposable {
  readonly site: GatewaySite;
  readonly audit: string;
  /** Milliseconds for which the gateway had a processor until now. */
  readonly ranMs: () => number;
  /** The folder with what somebody stole: `host-1`'s certificate and key. */
  readonly stolen: string;
  readonly thief: GatewayClient;
  /** What the thief says about agents, as a relay does. */
  readonly report: (agents: readonly AgentReport[]) => void;
  readonly neighbour: GatewayClient;
  readonly admin: GatewayClient;
}

export async function startTwoRelays(): Promise<TwoRelays> {
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-relays-'));
  const agentOf = (name: string, relay: string) => ({ name, relay, users: ['1000:1000'], cwd: '/app' });
  const agents = [agentOf('coder', 'host-1'), agentOf('other', 'host-2')];
  const site = await makeGatewaySite(join(dir, 'state'), { policy: sharedPolicy(), keys: { agents } });
  const program = await site.start();
  const enrol = async (relay: string, agent: string) => {
    await site.enrol(join(dir, relay), await site.newToken(relay, [agent]));
    return { address: site.grpcAddress, identityDir: join(dir, relay) };
  };
  const thief = await connectGateway(await enrol('host-1', 'coder'));
  const synchronized = thief.synchronize().on('error', () => {});
  await once(synchronized, 'data');
  const neighbour = await connectRelay(await enrol('host-2', 'other'));
  const admin = await connectGateway({ address: site.grpcAddress, identityDir: join(site.state, 'admin') });
  return {
    ...{ site, thief, neighbour, admin },
    report: (reports) => void synchronized.write({ version: '1', contract: 0, agents: [...reports] }),
    ranMs: () => Number(readFileSync(`/proc/${program.pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6,
    audit: join(site.state, 'audit.jsonl'),
    stolen: join(dir, 'host-1'),
    [Symbol.asyncDispose]: async () => {
      synchronized.cancel();
      for (const client of [thief, neighbour, admin]) client.close();
      await program[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
