import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import { next, openRunTimeSession, type RunTimeSession } from '../grpc/run-time-session.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { ghostsOf, lifePolicy, untilNoGhosts } from './life.ts';

describe.skipIf(!hasLab())('a client built from the .proto files at run time', () => {
  let stack: Stack;
  let session: RunTimeSession;

  beforeAll(async () => {
    stack = await startStack(sharedLab(), { name: 'proto', policy: lifePolicy(), agents: { built: {} } });
    session = await openRunTimeSession(stack.grpcAddress.replace('127.0.0.1', 'localhost'), stack.identity);
  });
  afterAll(async () => {
    session?.[Symbol.dispose]();
    await stack?.stop();
  });

  function start(script: string) {
    const stream = session.stream('clawrden.v1.ExecutionService/Execute', session.metadata);
    const command = { tool: 'ghostly', args: [script], cwd: '', umask: 18, version: 1 };
    stream.write({ start: { execution_id: newExecutionId(), agent: 'built', command } });
    return stream;
  }

  test('runs a command', async () => {
    const stream = start('id -u; exit 7');
    const answers: object[] = [];
    stream.on('data', (answer: object) => answers.push(answer));
    await once(stream, 'end');
    expect(answers).toMatchObject([
      { message: 'accepted' },
      { message: 'started' },
      { message: 'stdout', stdout: Buffer.from('1000\n') },
      { message: 'unread' },
      { message: 'outcome', outcome: { kind: 'OUTCOME_KIND_EXITED', code: 7, signal: 0 } },
    ]);
  });

  test('cancels a command', async () => {
    const stream = start('echo on; sleep 300');
    for (let answer = {}; !('stdout' in answer); ) answer = await next(stream);
    expect(await ghostsOf(sharedLab(), 'built')).not.toEqual([]);
    stream.write({ cancel: {} });
    let last = {};
    stream.on('data', (answer: object) => (last = answer));
    await once(stream, 'end');
    expect(last).toMatchObject({ outcome: { kind: 'OUTCOME_KIND_CANCELED', code: 125, reason: 'canceled' } });
    await untilNoGhosts(sharedLab(), 'built', 3000);
  });

  test('lists the hosts', async () => {
    const hosts = stack.hosts.map((name) => ({ name, state: 'ready', slots: 8 }));
    expect(await session.call('clawrden.v1.WardenService/ListHosts', {}, session.metadata)).toMatchObject({
      hosts,
    });
  });
});
