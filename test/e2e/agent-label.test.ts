import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentEngine, openAgentEngine } from '../../shim/relay/execution/agent-engine.ts';
import { attempt, run } from '../lab/command.ts';
import { agentImage } from '../lab/images/catalogue.ts';
import type { Lab } from '../lab/lab.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';

const user = { uid: 1000, gid: 1000 };
const labelled = 'clawrden-test-labelled:1';

describe.skipIf(!hasLab())('containers found by the label of their creation', () => {
  let lab: Lab;
  let engine: AgentEngine;
  const made: string[] = [];
  const docker = (...args: string[]) => run(['docker', '-H', `unix://${lab.agentHost.socket}`, ...args]);
  const start = async (name: string, image: string, ...labels: string[]) => {
    made.push(name);
    const options = labels.flatMap((label) => ['--label', `clawrden.agent=${label}`]);
    await docker('run', '-d', '--network', 'none', '--name', name, ...options, image, 'sleep', '600');
  };
  const stateOf = async (name: string) =>
    (await docker('inspect', '--format', '{{.State.Status}}', name)).trim();
  const refusal = (agent: string) =>
    engine.startInit({ agent }, user, AbortSignal.timeout(5000)).then(
      () => ({ code: '', message: '' }),
      ({ code, message }) => ({ code, message }),
    );

  beforeAll(async () => {
    lab = sharedLab();
    engine = openAgentEngine(`unix://${lab.agentHost.socket}`, ['lbl-listed']);
    await start('lbl-source', agentImage, 'lbl');
    await docker('commit', 'lbl-source', labelled);
    await docker('rm', '-f', 'lbl-source');
  });
  afterAll(async () => {
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
    await engine.set({ agent: 'lbl' }, 'killed');
    expect([await stateOf('lbl-image'), await stateOf('lbl-both')]).toEqual(['running', 'running']);
  });

  test('P2: a container that was created with it is the one, whatever its image and its name say', async () => {
    await start('lbl-own', agentImage, 'lbl');
    await start('lbl-other', labelled, 'lbl2');
    await start('lbl-listed', agentImage, 'lbl2');
    expect(await engine.look({ agent: 'lbl' })).toEqual({ running: true, problem: '' });
    expect(await engine.look({ agent: 'lbl2' })).toEqual({ running: true, problem: '' });
    expect((await engine.look({ agent: 'lbl-own' })).problem).toMatch(/^no container with the label/);
    // It is found, and has no jail.
    const started = await engine.startInit({ agent: 'lbl' }, user, AbortSignal.timeout(5000));
    expect(started.container).toBe('lbl-own');
    started.stream.destroy();
  });

  test('P19: pause and kill act on all of them, and no command runs in one of two', async () => {
    await start('lbl-own-2', agentImage, 'lbl');
    expect(await refusal('lbl')).toMatchObject({ code: 'agent-ambiguous' });
    expect((await engine.look({ agent: 'lbl' })).problem).toMatch(/lbl-own.*have the label/);
    const three = async () => await Promise.all(['lbl-own', 'lbl-own-2', 'lbl-image'].map(stateOf));
    await engine.set({ agent: 'lbl' }, 'paused');
    expect(await three()).toEqual(['paused', 'paused', 'running']);
    await engine.set({ agent: 'lbl' }, 'paused');
    await engine.set({ agent: 'lbl' }, 'running');
    expect(await three()).toEqual(['running', 'running', 'running']);
    await engine.set({ agent: 'lbl' }, 'killed');
    expect(await three()).toEqual(['exited', 'exited', 'running']);
    expect(await stateOf('lbl-listed')).toBe('running');
  });
});
