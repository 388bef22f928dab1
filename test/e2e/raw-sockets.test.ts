import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../lab/command.ts';
import { nodeImage } from '../lab/images/catalogue.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { type Internet, startInternet } from './internet.ts';
import { typed } from './typed.ts';

const policy = `version: 1
default: deny
workspace: /app
timeout: 2m
networks:
  registry: { allow: [{ to: "registry.example:80", private: true }] }
tools:
  perl: { strategy: ghost, image: "${nodeImage}", memory: 128m, network: registry }
rules: [{ name: all, tools: [perl], action: allow }]
complete: true
`;
const abstract = `clawrden-raw-${process.pid}`;

/** On the Docker host itself: an abstract socket, and a port of its loopback. Says which. */
const listening = `const net = require('node:net');
const note = (socket) => { process.send('reached'); socket.destroy(); };
net.createServer(note).listen('\\0' + process.argv[1], () => {
  const tcp = net.createServer(note).listen(0, '127.0.0.1', () => process.send(tcp.address().port));
});
process.on('disconnect', () => process.exit());`;

describe.skipIf(!hasLab())('from a ghost whose network goes by name, by raw calls', () => {
  let internet: Internet;
  let stack: Stack;
  const reached: unknown[] = [];
  const stop: (() => void)[] = [];
  let script: string;
  let port: number;

  beforeAll(async () => {
    script = await readFile(join(import.meta.dirname, 'raw-sockets.pl'), 'utf8');
    internet = await startInternet();
    await internet.order({ zone: { 'registry.example': [[internet.address]] } });
    const options = { name: 'raw', policy, agents: { coder: {} }, under: internet.under };
    stack = await startStack(sharedLab(), { ...options, env: process.env });
    for (const host of sharedLab().hosts) {
      const [program = '', ...args] = host.onNetwork([process.execPath, '-e', listening, abstract]);
      const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      stop.push(() => child.kill('SIGKILL'));
      [port = 0] = (await once(child, 'message')) as [number];
      child.on('message', (message) => reached.push(message));
    }
  }, 180_000);
  afterAll(async () => {
    for (const each of stop) each();
    await stack?.stop();
    await internet?.[Symbol.asyncDispose]();
  });

  test('A-262 P14: nothing is reached but the way out, by any kind of socket', async () => {
    const six = '2606:4700::1';
    await internet.order({ tell: 'seen' });
    const { stdout, stderr } = await typed(stack.agents.coder!, [
      'perl',
      '-e',
      script,
      internet.address,
      six,
      abstract,
    ]);
    const lines = stdout.toString().trimEnd().split('\n');
    expect({ stderr, open: lines.pop() }).toEqual({ stderr: '', open: 'open: 3128' });
    expect(lines).toHaveLength(15);
    expect(lines.filter((line) => !/: (?:no socket|no way)$/.test(line))).toEqual([]);
    // The kinds that would not need a device.
    for (const what of ['raw icmp', 'raw ip', 'raw icmp6', 'packet', 'vsock host', 'vsock self'])
      expect(lines).toContain(`${what}: no socket`);
    expect(await internet.order({ tell: 'seen' })).toMatchObject({ connections: [], asked: [] });
    expect(reached).toEqual([]);
  });

  test('what listens beside the ghost is reached from where it listens', async () => {
    const [host] = sharedLab().hosts;
    const dial = `const net = require('node:net');
      for (const to of [{ path: '\\0${abstract}' }]) net.connect(to).on('close', () => process.exit(0));`;
    await run(host!.onNetwork([process.execPath, '-e', dial]));
    await expect.poll(() => reached).toEqual(['reached']);
    expect(port).toBeGreaterThan(0);
  });
});
