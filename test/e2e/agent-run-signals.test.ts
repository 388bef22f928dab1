import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { attempt, run } from '../lab/command.ts';
import { busyboxImage } from '../lab/images/catalogue.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { launcher } from '../stack/launcher.ts';
import { makeServedAgent } from '../stack/served-agent.ts';
import { holdStart } from './held-start.ts';

describe.skipIf(!hasLab())('agent run, while its engine has not answered the start', () => {
  test('a signal reaches the program, whose end is the end of the command', async () => {
    const { socket } = sharedLab().agentHost;
    const dir = await mkdtemp(join(tmpdir(), 'clawrden-signals-'));
    try {
      await using engine = await holdStart(join(dir, 'engine.sock'), socket);
      await using served = await makeServedAgent(dir, `unix://${join(dir, 'engine.sock')}`, {
        name: 'signals',
      });
      const script = 'trap "echo caught; exit 6" TERM; echo ready; while :; do sleep 0.1; done';
      const line = ['--config', served.relayYaml, 'signals', '--rm', busyboxImage, 'sh', '-c', script];
      const child = spawn(process.execPath, [launcher, 'agent', 'run', ...line]);
      const said: string[] = [];
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => said.push(String(chunk)));
      const closed = once(child, 'close');
      await waitUntil('the program', 60_000, async () => said.join('').includes('ready'));
      child.kill('SIGTERM');
      // So long the program's end, or that of the command, would have time to show.
      expect(await Promise.race([closed, sleep(1000, 'both go on')])).toBe('both go on');
      expect(said.join('')).toBe('ready\n');
      engine.letGo();
      expect(await closed).toEqual([6, null]);
      expect(said.join('')).toBe('ready\ncaught\n');
    } finally {
      const docker = ['docker', '-H', `unix://${socket}`];
      const left = await run([...docker, 'ps', '-aq', '--filter', 'label=clawrden.agent=signals']);
      if (left !== '') await attempt([...docker, 'rm', '-f', ...left.trim().split('\n')]);
      await rm(dir, { recursive: true, force: true });
    }
  });
});
