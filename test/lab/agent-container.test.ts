import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentContainer, startAgentContainer } from './agent-container.ts';
import { nodeImage } from './images/catalogue.ts';
import { hasLab, sharedLab } from './shared-lab.ts';

describe.skipIf(!hasLab())("an agent's container", () => {
  let agent: AgentContainer;
  let dir: string;
  beforeAll(async () => {
    const lab = sharedLab();
    dir = await mkdtemp(join(lab.dir, 'agent-'));
    await chmod(dir, 0o755);
    await writeFile(join(dir, 'hello'), '#!/bin/sh\necho "hello from $0"\n', { mode: 0o755 });
    const workspace = await lab.workspace('agent-test');
    const shared = { jail: dir, socketDir: dir, workspace, image: nodeImage, command: ['sleep', 'infinity'] };
    agent = await startAgentContainer(lab.agentHost, { name: 'test', ...shared, env: { COLOUR: 'red' } });
  });
  afterAll(async () => {
    await agent?.remove();
    await rm(dir, { recursive: true });
  });

  test('has no network but loopback, and no Docker socket', async () => {
    expect((await agent.exec(['ls', '/sys/class/net'])).stdout).toBe('lo\n');
    expect((await agent.exec(['find', '/var/run', '/run', '-name', 'docker.sock'])).stdout).toBe('');
  });

  test('is uid 1000 in /app, with the jail first on PATH and its own environment', async () => {
    const { stdout } = await agent.exec(['sh', '-c', 'id -u; id -g; pwd; command -v hello; echo $COLOUR']);
    expect(stdout).toBe('1000\n1000\n/app\n/clawrden/bin/hello\nred\n');
  });

  test('cannot write to the jail or the socket folder, and can to the workspace', async () => {
    for (const folder of ['/clawrden/bin', '/var/run/clawrden']) {
      expect((await agent.exec(['touch', `${folder}/x`], { user: '0:0' })).stderr).toContain('Read-only');
    }
    expect((await agent.exec(['touch', '/app/x'])).code).toBe(0);
  });

  test('reaches a socket that the machine listens on', async () => {
    const server = createServer((socket) => socket.end('from the machine\n'));
    server.listen(join(dir, 'warden.sock'));
    await once(server, 'listening');
    await chmod(join(dir, 'warden.sock'), 0o666);
    const program = 'net.connect("/var/run/clawrden/warden.sock").pipe(process.stdout)';
    const { stdout, stderr } = await agent.exec(['node', '--eval', program]);
    server.close();
    expect({ stdout, stderr }).toEqual({ stdout: 'from the machine\n', stderr: '' });
  });

  test('exec gives input, and returns both outputs and the exit code', async () => {
    const command = ['sh', '-c', 'cat; echo $ONE >&2; pwd; exit 7'];
    const result = await agent.exec(command, {
      input: 'in\n',
      env: { ONE: '1' },
      cwd: '/tmp',
      user: '1000:1000',
    });
    expect(result).toEqual({ stdout: 'in\n/tmp\n', stderr: '1\n', code: 7, signal: null, isLate: false });
  });

  test('spawn streams while the program runs', async () => {
    const child = agent.spawn(['cat']);
    child.stdin.write('one');
    expect(String(await once(child.stdout, 'data'))).toBe('one');
    child.stdin.end('two');
    expect(String(await once(child.stdout, 'data'))).toBe('two');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
