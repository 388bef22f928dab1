import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import pino from 'pino';
import { describe, test } from 'vitest';
import { createHalt, type Halt } from '../../shim/relay/control/halt.ts';
import { keepHalted } from '../../shim/relay/control/keep-halted.ts';
import { openAgentEngine } from '../../shim/relay/execution/agent-engine.ts';
import type { AgentContainer } from '../../src/agent-container.ts';
import { type ContainerEngine, type EngineContainer, startContainerEngine } from './container-engine.ts';

const keys = { agent: 'clawrden.agent', gateway: 'clawrden.gateway' } as const;
const log = pino({ level: 'silent' });
const labels = fc
  .record({
    agent: fc.constantFrom(undefined, 'coder', 'other'),
    gateway: fc.constantFrom(undefined, undefined, 'gw', 'gw2'),
  })
  .map(({ agent, gateway }) => ({
    ...(agent !== undefined && { [keys.agent]: agent }),
    ...(gateway !== undefined && { [keys.gateway]: gateway }),
  }));
const container = fc.record({
  labels,
  image: fc.option(labels, { nil: undefined, freq: 5 }),
  state: fc.constantFrom<EngineContainer['state'][]>('running', 'running', 'paused', 'restarting'),
});
const hosts = fc.record({
  containers: fc.array(container, { maxLength: 4 }),
  /** The container that relay.yaml names for the agent, and one that it names for another. */
  mine: fc.constantFrom(undefined, 0, 1),
  foreign: fc.constantFrom(undefined, 1, 2),
  state: fc.constantFrom<('paused' | 'killed')[]>('paused', 'killed'),
});
const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 10_000 : 300;

test('A-98: after a pause or a kill, each container of the agent and each with its label is halted or named', async ({
  expect,
}) => {
  await using host = await startContainerEngine([]);
  await fc.assert(
    fc.asyncProperty(hosts, async ({ containers, mine, foreign, state }) => {
      const all = containers.map((one, index) => ({
        ...one,
        ...{ id: `${index}`.repeat(64), name: `c-${index}` },
      }));
      const before = new Map(all.map(({ id, state: was }) => [id, was]));
      host.containers.splice(0, Infinity, ...all);
      const taken = [mine, foreign].flatMap((index) => (index === undefined ? [] : [`c-${index}`]));
      const which: AgentContainer = mine === undefined ? { agent: 'coder' } : { name: `c-${mine}` };
      const engine = openAgentEngine(host.url, taken);
      const answer = await engine.set({ agent: 'coder', container: which }, state).then(
        () => '',
        ({ message }: Error) => message,
      );
      let wanted = 0;
      for (const [index, { id, name, labels: created, image, state: now }] of all.entries()) {
        const shown = { ...image, ...created };
        const isGateways =
          image !== undefined &&
          shown[keys.gateway] !== undefined &&
          shown[keys.gateway] !== image[keys.gateway];
        const isForeign = index === foreign && index !== mine;
        const isConcerned = index === mine || (shown[keys.agent] === 'coder' && (isForeign || !isGateways));
        const isRunning = now === 'running' || now === 'restarting';
        if (isConcerned && isRunning) wanted += 1;
        // Nothing is done to what is not the agent's, nor to what only an image says to be.
        const isSpared = index !== mine && (isForeign || image?.[keys.agent] === 'coder');
        if (!isConcerned || isSpared) expect(now).toBe(before.get(id));
        if (isConcerned && isRunning && wanted <= 3) expect(answer).toContain(`container ${name} `);
      }
      expect(answer !== '').toBe(wanted > 0);
    }),
    { numRuns },
  );
});

interface Kept extends AsyncDisposable {
  readonly host: ContainerEngine;
  readonly halt: Halt;
}

const own = (name: string): EngineContainer => ({
  ...{ id: name.repeat(64).slice(0, 64), name, labels: { [keys.agent]: 'coder' }, image: {} },
  state: 'running',
});

async function keep(which: AgentContainer, ...containers: EngineContainer[]): Promise<Kept> {
  const host = await startContainerEngine(containers);
  const engine = openAgentEngine(host.url);
  const halt = createHalt({ agent: 'coder', container: which, mirrors: new Set(), engine, log });
  const end = new AbortController();
  const agents = { all: () => [{ name: 'coder', container: which, halt }] };
  const kept = keepHalted({ agents, engine }, end.signal);
  return {
    ...{ host, halt },
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await kept;
      await host[Symbol.asyncDispose]();
    },
  };
}

const soon = { timeout: 2000, interval: 20 };

describe.concurrent('an agent that is to halt', () => {
  test.for<['paused' | 'killed', string, AgentContainer]>([
    ['paused', 'by its label', { agent: 'coder' }],
    ['killed', 'by its label', { agent: 'coder' }],
    ['paused', 'by its name', { name: 'b' }],
  ])(
    'A-99: what starts for an agent that is %s, found %s, is halted within 2 s, also after its engine was away',
    async ([wish, , which], { expect }) => {
      await using kept = await keep(which, own('a'));
      const { host, halt } = kept;
      const [halted, ended] = [
        wish === 'paused' ? 'paused' : 'exited',
        wish === 'paused' ? 'running' : 'exited',
      ];
      await halt.apply(wish);
      expect(host.containers.map(({ state }) => state)).toEqual([halted]);
      const late: EngineContainer = 'name' in which ? { ...own('b'), labels: {} } : own('b');
      host.containers.push(late);
      await expect.poll(() => late.state, soon).toBe(halted);
      await host.stop();
      for (const one of host.containers) one.state = 'running';
      await sleep(1200);
      await host.start();
      await expect.poll(() => host.containers.map(({ state }) => state), soon).toEqual([halted, halted]);
      await expect.poll(() => [halt.halted(), halt.problem()], soon).toEqual([true, '']);
      await halt.apply('active');
      expect(host.containers.map(({ state }) => state)).toEqual([ended, ended]);
      const lists = host.lists();
      late.state = 'running';
      await sleep(1300);
      expect([late.state, host.lists()]).toEqual(['running', lists]);
    },
  );

  test('A-99: an agent is halted once its engine answers, and once the container that was named is gone', async ({
    expect,
  }) => {
    const image = { [keys.agent]: 'coder' };
    const copy: EngineContainer = { ...own('c'), labels: {}, image };
    await using kept = await keep({ agent: 'coder' }, own('a'), copy);
    const { host, halt } = kept;
    await host.stop();
    await halt.apply('paused');
    expect([halt.halted(), halt.problem()]).toEqual([false, expect.stringMatching(/engine does not answer/)]);
    await host.start();
    await expect
      .poll(halt.problem, soon)
      .toBe(
        'container c has the label clawrden.agent=coder, and so has its image: it counts only on a container whose image has it not; it runs',
      );
    expect(host.containers.map(({ state }) => state)).toEqual(['paused', 'running']);
    expect(halt.halted()).toBe(false);
    copy.state = 'exited';
    await expect.poll(halt.halted, soon).toBe(true);
  });
});
