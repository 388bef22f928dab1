import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type AgentEngine, openAgentEngine } from '../../shim/relay/execution/agent-engine.ts';
import { checkRelayFiles } from '../../src/cli/set-up/doctor/check-relay-files.ts';
import { formatTold } from '../../src/config/told-agents.ts';
import { attempt, run } from '../lab/command.ts';
import { agentImage } from '../lab/images/catalogue.ts';
import type { Lab } from '../lab/lab.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { ghostsOn } from './ghosts-on.ts';
import { of, openOn } from './replica-on.ts';

const user = { uid: 1000, gid: 1000 };
const labelled = 'clawrden-test-labelled:1';

describe.skipIf(!hasLab())('containers found by the label of their creation', () => {
  let lab: Lab;
  let engine: AgentEngine;
  let dir: string;
  const made: string[] = [];
  const docker = (...args: string[]) => run(['docker', '-H', `unix://${lab.agentHost.socket}`, ...args]);
  const start = async (name: string, image: string, ...labels: string[]) => {
    made.push(name);
    const options = labels.flatMap((label) => ['--label', `clawrden.agent=${label}`]);
    await docker('run', '-d', '--network', 'none', '--name', name, ...options, image, 'sleep', '600');
  };
  const stateOf = async (name: string) =>
    (await docker('inspect', '--format', '{{.State.Status}}', name)).trim();
  const set = (agent: string, state: 'running' | 'paused' | 'killed') =>
    engine.set({ agent, container: { agent } }, state);
  const refusal = (agent: string) =>
    engine.startInit({ agent }, user, AbortSignal.timeout(5000)).then(
      () => ({ code: '', message: '' }),
      ({ code, message }) => ({ code, message }),
    );

  /** What doctor says of an agent, and how bad it is. */
  const findings = async (agent: string) =>
    (await checkRelayFiles(join(dir, 'relay.yaml')))
      .filter(({ check }) => check === `agent ${agent}`)
      .map(({ level, text }) => `${level}: ${text}`);

  beforeAll(async () => {
    lab = sharedLab();
    dir = await mkdtemp(join(tmpdir(), 'clawrden-label-'));
    const base = {
      gateway: 'localhost:1',
      identity: '.',
      state: '.',
      docker: `unix://${lab.agentHost.socket}`,
    };
    const listed = { name: 'mine', socket: 'run/warden.sock', container: 'lbl-listed', users: ['1000:1000'] };

    await writeFile(join(dir, 'relay.yaml'), stringify({ ...base, agents: [listed] }));
    const told = ['lbl', 'lbl2', 'lbl3', 'lbl4'].map((name) => ({ name, users: [user] as [typeof user] }));
    await writeFile(join(dir, 'agents.json'), formatTold(told));
    engine = openAgentEngine(`unix://${lab.agentHost.socket}`, ['lbl-listed']);
    await start('lbl-source', agentImage, 'lbl');
    await docker('commit', 'lbl-source', labelled);
    await docker('rm', '-f', 'lbl-source');
  });
  afterAll(async () => {
    await rm(dir, { recursive: true });
    const removed = ['docker', '-H', `unix://${lab.agentHost.socket}`];
    await attempt([...removed, 'rm', '-fv', ...made]);
    await attempt([...removed, 'rmi', '-f', labelled]);
  });

  test('P2: an image that has the label claims no agent, also one that docker commit made of its container', async () => {
    await start('lbl-image', labelled);
    await start('lbl-both', labelled, 'lbl');
    expect(await engine.look({ agent: 'lbl' })).toMatchObject({
      running: false,
      problem: expect.stringMatching(/label clawrden.agent=lbl, and so has its image/),
    });
    expect(await refusal('lbl')).toMatchObject({
      code: 'host-lost',
      message: expect.stringMatching(/its image/),
    });
    expect(await findings('lbl')).toEqual([
      expect.stringMatching(/^error: container lbl-(image|both) has the label .*, and so has its image/),
    ]);
    expect(await findings('lbl3')).toEqual([
      'error: no container with the label clawrden.agent=lbl3 runs on this agent host',
    ]);
    await expect(set('lbl', 'killed')).rejects.toThrow(
      /^container lbl-(image|both) .*so has its image.*; it runs/,
    );
    expect([await stateOf('lbl-image'), await stateOf('lbl-both')]).toEqual(['running', 'running']);
  });

  test('P2: a container that was created with it is the one, whatever its image and its name say', async () => {
    await start('lbl-own', agentImage, 'lbl');
    await start('lbl-other', labelled, 'lbl2');
    await start('lbl-listed', agentImage, 'lbl2');
    expect(await engine.look({ agent: 'lbl' })).toEqual({ running: true, problem: '' });
    expect(await engine.look({ agent: 'lbl2' })).toEqual({ running: true, problem: '' });
    expect((await engine.look({ agent: 'lbl-own' })).problem).toMatch(/^no container with the label/);
    // Doctor looks into the one that counts, and tells of the others.
    const warned = (name: string) =>
      expect.stringMatching(new RegExp(`^warning: container ${name} has the label .*so has its image`));
    expect(await findings('lbl')).toEqual(
      expect.arrayContaining([
        warned('lbl-image'),
        warned('lbl-both'),
        'error: nothing is mounted at /clawrden/bin',
      ]),
    );
    expect(await findings('lbl2')).toEqual(
      expect.arrayContaining([
        'warning: container lbl-listed has the label clawrden.agent=lbl2, and relay.yaml names that container for another agent',
        'error: nothing is mounted at /clawrden/bin',
      ]),
    );
    expect(await findings('mine')).not.toContainEqual(expect.stringContaining('label'));
    // It is found, and has no jail.
    const started = await engine.startInit({ agent: 'lbl' }, user, AbortSignal.timeout(5000));
    expect(started.container).toBe('lbl-own');
    started.stream.destroy();
  });

  test('P19: pause and kill act on all of them, and no command runs in one of two', async () => {
    await start('lbl-own-2', agentImage, 'lbl');
    expect(await refusal('lbl')).toMatchObject({ code: 'agent-ambiguous' });
    expect((await engine.look({ agent: 'lbl' })).problem).toMatch(/lbl-own.*have the label/);
    expect(await findings('lbl')).toEqual([
      expect.stringMatching(/^error: containers lbl-own.*, lbl-own.* have the label clawrden.agent=lbl;/),
    ]);
    const three = async () => await Promise.all(['lbl-own', 'lbl-own-2', 'lbl-image'].map(stateOf));
    // The third one, of an image with the label, is named by each of them.
    const named = /^container lbl-(image|both) .*so has its image.*; it runs/;
    await expect(set('lbl', 'paused')).rejects.toThrow(named);
    expect(await three()).toEqual(['paused', 'paused', 'running']);
    await expect(set('lbl', 'paused')).rejects.toThrow(named);
    await set('lbl', 'running');
    expect(await three()).toEqual(['running', 'running', 'running']);
    await expect(set('lbl', 'killed')).rejects.toThrow(named);
    expect(await three()).toEqual(['exited', 'exited', 'running']);
    expect(await stateOf('lbl-listed')).toBe('running');
  });

  test('P19: an engine may also have the agent’s ghosts and its carrier, and they are no container of the agent', async () => {
    const on = ghostsOn(lab.agentHost);
    await using undo = new AsyncDisposableStack();
    undo.defer(() => on.engine.close());
    undo.defer(async () => void (await on.engine.removeReplica(of('lbl4'))));
    const plan = { ...(await on.plan(['sleep', '60'], {}, agentImage)), agent: 'lbl4' };
    const ghost = await on.start(plan);
    undo.defer(async () => void (await ghost.destroy()));
    const carrier = await openOn(on, 'lbl4');
    undo.defer(() => carrier.end());
    const gateways = [ghost.containerId, carrier.containerId];
    const states = () => Promise.all(gateways.map(stateOf));

    expect((await engine.look({ agent: 'lbl4' })).problem).toMatch(/^no container with the label/);
    expect(await findings('lbl4')).toEqual([expect.stringMatching(/^error: no container with the label/)]);
    await set('lbl4', 'paused');
    expect(await states()).toEqual(['running', 'running']);

    await start('lbl-beside', agentImage, 'lbl4');
    expect(await engine.look({ agent: 'lbl4' })).toEqual({ running: true, problem: '' });
    expect(await findings('lbl4')).not.toContainEqual(expect.stringContaining('has the label'));
    const started = await engine.startInit({ agent: 'lbl4' }, user, AbortSignal.timeout(5000));
    expect(started.container).toBe('lbl-beside');
    started.stream.destroy();
    await set('lbl4', 'killed');
    expect([await stateOf('lbl-beside'), ...(await states())]).toEqual(['exited', 'running', 'running']);
  });

  test('P19: a container of an image with the gateway’s label is halted with the others, and runs no command', async () => {
    const masked = 'clawrden-test-masked:1';
    made.push('lbl-plain');
    await docker('create', '--name', 'lbl-plain', agentImage);
    await docker('commit', '--change', 'LABEL clawrden.gateway=gw', 'lbl-plain', masked);
    await using undo = new AsyncDisposableStack();
    undo.defer(async () => void (await docker('rmi', '-f', masked)));
    await start('lbl-masked', masked, 'lbl3');
    expect(await refusal('lbl3')).toMatchObject({
      code: 'host-lost',
      message: expect.stringMatching(/clawrden.gateway/),
    });
    await set('lbl3', 'killed');
    expect(await stateOf('lbl-masked')).toBe('exited');
    await docker('rm', '-f', 'lbl-masked');
  });
});
