import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { relaysHalted } from '../../gateway/control/relays-halted.ts';
import { setTools } from '../../shim/relay/agents/jail.ts';
import { createHalt } from '../../shim/relay/control/halt.ts';
import { synchronize } from '../../shim/relay/control/synchronize.ts';
import type { AgentEngine } from '../../shim/relay/execution/agent-engine.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { ClawrdenError } from '../../src/errors.ts';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { refusalOf } from '../../src/wire/contract.ts';
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
    startWayOut: () => Promise.reject(new Error('nothing is run here')),
    look: () => Promise.resolve({ running: true, problem: '' }),
    set: (_whose, state) => Promise.resolve(void asked.push(state)),
    awake: () => Promise.resolve(() => false),
  };
}

/** A gateway and the relay's side of its stream, for one agent on this engine. */
async function startSynchronized(engine: AgentEngine, refusal?: ClawrdenError) {
  const noted: string[] = [];
  const disk = { why: '' };
  const coder = { name: 'coder', tools: ['ls'], users: [], paused: false, killed: false };
  let state = { lockdown: false, agents: [coder] };
  const gateway = await startTestGateway({ state: () => state });
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
    unwritten: () => disk.why,
  };
  const end = new AbortController();
  const client = await connectGateway({
    address: gateway.address,
    identityDir: await gateway.identity(relay),
  });
  const link = {
    synchronize: async () => ({ stream: client.synchronize(), renewed: new Promise<void>(() => {}) }),
    refusal: () => refusal,
  };
  const noteRefusal = async (why: string) => void noted.push(why);
  const options = { agents, link, engine, onApplied: () => {}, noteRefusal, log };
  const synchronized = synchronize(options, end.signal);
  const agent = { name: 'coder', relay: relay.name } as AgentConfig;
  if (refusal === undefined)
    await expect.poll(() => gateway.relays.report(agent)).toMatchObject({ halted: false });
  return {
    ...{ gateway, agent, noted, disk },
    tell: (lockdown: boolean, change: Partial<typeof coder>) => {
      state = { lockdown, agents: [{ ...coder, ...change }] };
      gateway.relays.tellAll();
    },
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await synchronized;
      client.close();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

test('from a gateway that lacks what the relay needs nothing is taken up, it is told so, and a note says why', async () => {
  await using stream = await startSynchronized(willing(), refusalOf(0));
  const { relays } = stream.gateway;
  await expect.poll(() => stream.noted).toContainEqual(expect.stringContaining('upgrade the gateway first'));
  // The relay ends each of its streams, and the gateway the connection.
  await expect.poll(() => relays.places().size).toBe(0);
  expect(relays.report(stream.agent)).toBeUndefined();
  expect(await readdir(jail)).toEqual([]);
});

test('P19: every order to halt is confirmed, also one that changes nothing', async () => {
  const engine = willing();
  await using stream = await startSynchronized(engine);
  const told = async (lockdown: boolean, change: Parameters<typeof stream.tell>[1]) => {
    stream.tell(lockdown, change);
    const halted = stream.gateway.relays.halted(stream.agent).then(() => 'halted');
    return await Promise.race([halted, sleep(2000, 'nothing')]);
  };
  expect(await told(false, { paused: true })).toBe('halted');
  expect(await told(false, { paused: true })).toBe('halted');
  expect(await told(true, { paused: true })).toBe('halted');
  expect(await told(true, { killed: true })).toBe('halted');
  expect(await told(true, { killed: true })).toBe('halted');
  expect(engine.asked).toEqual(['running', 'paused', 'paused', 'paused', 'killed', 'killed']);
});

test('A-595 P19: a halt that is not on the disk of its relay is not confirmed, and says why', async () => {
  await using stream = await startSynchronized(willing());
  const { relays } = stream.gateway;
  stream.disk.why = 'no space left on device';
  stream.tell(false, { killed: true });
  const problem = 'its halt cannot be kept: no space left on device';
  await expect.poll(() => relays.report(stream.agent)).toMatchObject({ halted: false, problem });
  stream.disk.why = '';
  stream.tell(false, { killed: true });
  await expect.poll(() => relays.report(stream.agent)).toMatchObject({ halted: true, problem: '' });
});

test('A-98: what a relay could not halt is in the name of the agent that is not confirmed', async () => {
  const why = 'container copy has the label clawrden.agent=coder, and so has its image; it runs';
  const set: AgentEngine['set'] = async (_whose, state) => {
    if (state !== 'running') throw new Error(why);
  };
  await using stream = await startSynchronized({ ...willing(), set });
  const { relays } = stream.gateway;
  const [waited] = relaysHalted(() => new Map([['coder', stream.agent]]), relays)(() => true);
  // Nothing was said since.
  expect(waited?.name()).toMatch(/^agent coder \(relay [\w-]+ at [^ ]+\)$/);
  stream.tell(false, { paused: true });
  await expect.poll(() => relays.report(stream.agent)?.problem).toBe(why);
  expect(waited?.name()).toContain(`: ${why})`);
  expect(await Promise.race([waited?.over.then(() => 'halted'), sleep(200, 'nothing')])).toBe('nothing');
});

test('no jail waits for an engine that does not answer when an agent is to run or to halt', async () => {
  const stuck = Promise.withResolvers<void>();
  await using _ = await startSynchronized({ ...willing(), set: () => stuck.promise });
  await expect.poll(() => readdir(jail)).toEqual(['ls']);
  stuck.resolve();
});

test('no jail waits for an engine that does not say what it has', async () => {
  const silent = Promise.withResolvers<{ running: boolean; problem: string }>();
  let looks = 0;
  const look: AgentEngine['look'] = () => {
    looks += 1;
    return looks === 1 ? Promise.resolve({ running: true, problem: '' }) : silent.promise;
  };
  await using stream = await startSynchronized({ ...willing(), look });
  for (const name of ['cat', 'id', 'ps']) {
    stream.tell(false, { tools: [name] });
    await expect.poll(() => readdir(jail)).toEqual([name]);
  }
  silent.resolve({ running: true, problem: '' });
});
