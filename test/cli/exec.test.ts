import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StartRequest } from '../../gateway/ports/channel.ts';
import { startTestGateway } from '../grpc/gateway.ts';
import { launcher } from '../stack/launcher.ts';
import { clawrden, contextOf, ended, start } from './clawrden.ts';
import { exit, gatewayWith, inputsOf, stdinOf } from './exec-gateway.ts';

test('exec sends what was typed, and ends as the tool ended', async () => {
  const requests: StartRequest[] = [];
  const { gateway, args } = await gatewayWith(async (request, channel) => {
    requests.push(request);
    void channel.send({ type: 'accepted', planHash: 'h' });
    void channel.send({ type: 'stdout', bytes: Buffer.from('out\n') });
    void channel.send({ type: 'stderr', bytes: Buffer.from('err\n') });
    return exit(42);
  });
  await using _gateway = gateway;
  const options = ['--agent', 'coder', '--cwd', '/app/x', '--host-label', 'zone=a'];
  const result = await clawrden([...args, ...options, '--', 'npm', '--json', '-x', '']);
  expect(result).toEqual({ code: 42, signal: null, stdout: 'out\n', stderr: 'err\n' });
  expect(requests[0]).toMatchObject({
    agent: 'coder',
    hostLabels: { zone: 'a' },
    command: { tool: 'npm', args: ['--json', '-x', ''], cwd: '/app/x', stdio: ['pipe', 'pipe', 'pipe'] },
  });
});

test.each(['SIGTERM', 'SIGKILL', 'SIGPIPE', 'SIGUSR1'] as const)('a tool that died by %s', async (signal) => {
  const { gateway, args } = await gatewayWith(async () => ({
    kind: 'exited',
    code: 0,
    signal: constants.signals[signal],
  }));
  await using _gateway = gateway;
  expect(await clawrden([...args, '--', 'x'])).toMatchObject({ code: null, signal });
});

test('a refusal is one line and 1; a line says nothing to a terminal but itself', async () => {
  const { gateway, args } = await gatewayWith(async () => ({
    kind: 'denied',
    reason: 'denied-by-rule',
    text: 'no\u001b[2J\u202e',
  }));
  await using _gateway = gateway;
  expect(await clawrden([...args, '--', 'x'])).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: 'clawrden: denied-by-rule: no\\u{1b}[2J\\u{202e}\n',
  });
});

test('stdin is read when the tool asks for it, as much as it asks for, and its end is told', async () => {
  const { gateway, args } = await gatewayWith(async (_request, channel) => {
    const { seen, until } = inputsOf(channel);
    void channel.send({ type: 'credit', bytes: 4 });
    await until('stdin');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const first = stdinOf(seen);
    void channel.send({ type: 'credit', bytes: 100 });
    await until('stdin-end');
    void channel.send({ type: 'stdout', bytes: Buffer.from(`${first}|${stdinOf(seen)}`) });
    return exit(0);
  });
  await using _gateway = gateway;
  const child = start([...args, '--', 'cat']);
  child.stdin?.end('abcdefgh');
  expect(await ended(child)).toMatchObject({ code: 0, stdout: 'abcd|abcdefgh' });
});

test('a file and /dev/null as stdin, and one pipe for stdout and stderr', async () => {
  const { gateway, args } = await gatewayWith(async ({ command }, channel) => {
    const { seen, until } = inputsOf(channel);
    void channel.send({ type: 'credit', bytes: 1000 });
    await until('stdin-end');
    void channel.send({ type: 'stdout', bytes: Buffer.from(`${command.stdio.join()} ${stdinOf(seen)}`) });
    return exit(0);
  });
  await using _gateway = gateway;
  const file = join(gateway.dir, 'input');
  await writeFile(file, 'from a file');
  const run = async (redirections: string) => {
    const script = `exec "$@" ${redirections}`;
    const child = spawn('sh', ['-c', script, 'sh', process.execPath, launcher, ...args, '--', 'cat'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return (await ended(child)).stdout;
  };
  expect(await run(`<${file}`)).toBe('file,pipe,pipe from a file');
  expect(await run('</dev/null 2>&1')).toBe('null,pipe,=1 ');
});

test('a signal before the decision ends the question; one after it reaches the tool', async () => {
  const { promise: reason, resolve } = Promise.withResolvers<string>();
  const question = Promise.withResolvers<void>();
  const { gateway, args } = await gatewayWith(async ({ command }, channel) => {
    if (command.tool === 'asked') {
      void channel.send({ type: 'pending', approvalId: 'a', planHash: 'h', expires: new Date() });
      question.resolve();
      await once(channel.gone, 'abort');
      resolve((channel.gone.reason as { code: string }).code);
      return { kind: 'canceled', reason: 'canceled', text: '' };
    }
    const { seen, until } = inputsOf(channel);
    void channel.send({ type: 'accepted', planHash: 'h' });
    void channel.send({ type: 'stdout', bytes: Buffer.from('up\n') });
    await until('signal');
    return exit(seen[0]?.type === 'signal' ? seen[0].signal : 0);
  });
  await using _gateway = gateway;
  const asked = start([...args, '--', 'asked']);
  await question.promise;
  asked.kill('SIGINT');
  expect(await ended(asked)).toMatchObject({ code: null, signal: 'SIGINT' });
  expect(['canceled', 'requester-gone']).toContain(await reason);

  const running = start([...args, '--', 'sleep']);
  await once(running.stdout!, 'data');
  running.kill('SIGTERM');
  expect(await ended(running)).toMatchObject({ code: 15, signal: null });
});

test('a reader that goes away is told to the tool', async () => {
  const { gateway, args } = await gatewayWith(async (_request, channel) => {
    const { until } = inputsOf(channel);
    void channel.send({ type: 'accepted', planHash: 'h' });
    const chunk = Buffer.alloc(65_536, 'y');
    const closed = until('closed').then(() => true);
    while (!(await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1, false))])))
      await channel.send({ type: 'stdout', bytes: chunk });
    return { kind: 'exited', code: 0, signal: 13 };
  });
  await using _gateway = gateway;
  const child = start([...args, '--', 'yes']);
  await once(child.stdout!, 'data');
  child.stdout?.destroy();
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect([code, signal]).toEqual([null, 'SIGPIPE']);
});

test('P22: a reader that stalls holds the tool back, and signals still pass', async () => {
  let sent = 0;
  const { promise: signalled, resolve } = Promise.withResolvers<void>();
  const { gateway, args } = await gatewayWith(async (_request, channel) => {
    void inputsOf(channel).until('signal').then(resolve);
    void channel.send({ type: 'accepted', planHash: 'h' });
    for (let chunks = 0; chunks < 1024; chunks += 1) {
      await channel.send({ type: 'stdout', bytes: Buffer.alloc(65_536) });
      sent += 65_536;
    }
    return exit(0);
  });
  await using _gateway = gateway;
  const child = start([...args, '--', 'yes']);
  await once(child.stdout!, 'readable');
  await new Promise((wait) => setTimeout(wait, 1000));
  expect(sent).toBeLessThan(8 * 1024 * 1024);
  child.kill('SIGINT');
  await signalled;
  const { code, stdout } = await ended(child);
  expect([code, stdout.length]).toEqual([0, 1024 * 65_536]);
});

test('if no gateway answers, or none is known, exec ends with 125', async () => {
  await using gateway = await startTestGateway();
  const context = await contextOf(gateway);
  await gateway.close(0);
  const away = await clawrden(['exec', '--context', context, '--', 'x']);
  expect(away).toMatchObject({ code: 125, stdout: '' });
  expect(away.stderr).toMatch(/^clawrden: gateway-unreachable: the gateway does not answer \(.*\)\n$/);
  const nowhere = await clawrden(['exec', '--', 'x'], {
    HOME: gateway.dir,
    CLAWRDEN_CONTEXT: '/nonexistent',
  });
  expect(nowhere).toMatchObject({ code: 125, stdout: '' });
  expect(nowhere.stderr).toMatch(/^clawrden: context: \/nonexistent: .*; name the one .*\n$/);
  expect(await clawrden(['exec'])).toMatchObject({ code: 2 });
});
