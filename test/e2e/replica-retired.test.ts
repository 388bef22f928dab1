import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { homeOf } from '../../gateway/workspaces/home-of.ts';
import { Replicas } from '../../gateway/workspaces/replicas.ts';
import { Retirement } from '../../gateway/workspaces/retire.ts';
import { Stay } from '../../gateway/workspaces/stay.ts';
import { defaultLimits } from '../../src/carrier-client/hello.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { ownOn, replicasOn } from './replica-on.ts';

const never = new AbortController().signal;
/** In place of 30 minutes and 24 hours. */
const [idle, gone] = [500, 3000];

describe.skipIf(!hasLab())('replicas that nothing needs any more', () => {
  let host: LabHost;
  let on: Awaited<ReturnType<typeof replicasOn>>;
  /** Everything that the engine has, by name. */
  async function everything(): Promise<string[]> {
    const lists = [
      ['ps', '--all', '--format', '{{.Names}}'],
      ['volume', 'ls', '--format', '{{.Name}}'],
      ['network', 'ls', '--format', '{{.Name}}'],
      ['image', 'ls', '--format', '{{.Repository}}'],
    ];
    const outputs = await Promise.all(lists.map((args) => host.docker(args)));
    return outputs.flatMap(({ stdout }) => stdout.split('\n').filter(Boolean)).toSorted();
  }
  let before: string[];
  beforeAll(async () => {
    host = sharedLab().hosts[1]!;
    before = await everything();
    on = await replicasOn(host);
  });
  afterAll(() => on?.[Symbol.asyncDispose]());

  test('12 P24: carriers end when they rest; the replica of an agent that is gone goes after its day, what its last command left not before its own, and nothing else is left', async () => {
    const replicas = new Replicas();
    replicas.attach(host.name, on.engine);
    const sync = { hostBytes: 2 ** 40 };
    const home = homeOf('r', { kind: 'bind', source: '/srv' });
    const workspace = { kind: 'bind', source: '/srv', sync };
    const agents = new Map([['stays', { relay: 'r', workspace } as unknown as AgentConfig]]);
    const carried = { limits: defaultLimits, excludes: [] };
    const slots = ['stays', 'leaves', 'works'].map((agent) => replicas.slot(host.name, { agent, home }));
    const [, , working] = await Promise.all(slots.map((slot) => replicas.open(slot, carried, never)));
    const command = new Stay(slots[2]!);
    command.wait();
    const stranded = join(working!.folder, 'stranded');
    writeFileSync(stranded, 'never came home');
    expect(await ownOn(host, on.gatewayId)).toEqual({ containers: 3, volumes: 3 });
    const parts = { replicas, agents: () => agents, forget: () => {}, log: pino({ level: 'silent' }) };
    const times = { lookEvery: 100, idle, gone };
    const began = performance.now();
    const retirement = new Retirement({ ...parts, evict: async () => 'stays', times });
    const has = async () => (await on.engine.replicas()).map(({ agent }) => agent).toSorted();
    await waitUntil(
      'carriers at rest to end',
      15_000,
      async () => (await ownOn(host, on.gatewayId)).containers === 1,
    );
    const atRest = await has();
    if (performance.now() - began < gone) expect(atRest).toEqual(['leaves', 'stays', 'works']);
    await waitUntil('what is gone to go', 15_000, async () => !(await has()).includes('leaves'));
    expect(performance.now() - began).toBeGreaterThan(gone);
    await sleep(idle);
    expect(await has()).toEqual(['stays', 'works']);
    // Its last command ends only now: what that left has a day from here.
    command.end();
    const ended = performance.now();
    await sleep(gone - idle);
    const still = readFileSync(stranded, 'utf8');
    if (performance.now() - ended < gone) expect(still).toBe('never came home');
    await waitUntil('the last to go', 15_000, async () => !(await has()).includes('works'));
    expect(performance.now() - ended).toBeGreaterThan(gone);
    expect(await ownOn(host, on.gatewayId)).toEqual({ containers: 0, volumes: 1 });
    agents.delete('stays');
    await waitUntil('all to go', 15_000, async () => (await has()).length === 0);
    await retirement.stop();
    // The programs and the image of nothing are of no agent.
    const others = (names: string[]) => names.filter((name) => !name.startsWith('clawrden-init'));
    expect(others(await everything())).toEqual(others(before));
  });
});
