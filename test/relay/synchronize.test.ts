import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setTools } from '../../shim/relay/agents/jail.ts';
import { createHalt } from '../../shim/relay/control/halt.ts';
import { synchronize } from '../../shim/relay/control/synchronize.ts';
import type { AgentEngine } from '../../shim/relay/execution/agent-engine.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { relay, startTestGateway } from '../grpc/gateway.ts';

let jail: string;

beforeEach(async () => {
  jail = await mkdtemp(join(tmpdir(), 'clawrden-jail-'));
});
afterEach(() => rm(jail, { recursive: true }));

/** An engine on which every call succeeds, and a record of the calls. */
function willing(): AgentEngine & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    startInit: () => Promise.reject(new Error('nothing is run here')),
    look: () => Promise.resolve({ running: true, problem: '' }),
    set: (_whose, state) => Promise.resolve(void asked.push(state)),
    awake: () => Promise.resolve(() => false),
  };
}

test('P19: every order to halt is confirmed, also one that changes nothing', async () => {
  const coder = { name: 'coder', tools: [], users: [], paused: false, killed: false };
  let state = { lockdown: false, agents: [coder] };
  await using gateway = await startTestGateway({ state: () => state });
  const engine = willing();
  const log = pino({ level: 'silent' });
  const halt = createHalt({ agent: 'coder', container: { name: 'c' }, mirrors: new Set(), engine, log });
  const agents = {
    all: () => [
      {
        name: 'coder',
        container: { name: 'c' },
        setTools: (tools: readonly string[]) => setTools(jail, tools),
        halt,
        problem: () => '',
      },
    ],
    refused: () => new Map(),
    follow: () => Promise.resolve(),
    mend: () => Promise.resolve(),
  };
  const end = new AbortController();
  const client = await connectGateway({
    address: gateway.address,
    identityDir: await gateway.identity(relay),
  });
  const link = {
    synchronize: async () => ({ stream: client.synchronize(), renewed: new Promise<void>(() => {}) }),
  };
  const synchronized = synchronize({ agents, link, engine, onApplied: () => {}, log }, end.signal);
  const agent = { name: 'coder', relay: relay.name } as AgentConfig;
  await expect.poll(() => gateway.relays.report(agent)).toMatchObject({ halted: false });

  const told = async (lockdown: boolean, change: Partial<typeof coder>) => {
    state = { lockdown, agents: [{ ...coder, ...change }] };
    gateway.relays.tellAll();
    const halted = gateway.relays.halted(agent).then(() => 'halted');
    return await Promise.race([halted, sleep(2000, 'nothing')]);
  };
  expect(await told(false, { paused: true })).toBe('halted');
  expect(await told(false, { paused: true })).toBe('halted');
  expect(await told(true, { paused: true })).toBe('halted');
  expect(await told(true, { killed: true })).toBe('halted');
  expect(await told(true, { killed: true })).toBe('halted');
  expect(engine.asked).toEqual(['running', 'paused', 'paused', 'paused', 'killed', 'killed']);
  end.abort();
  await synchronized;
  client.close();
});
