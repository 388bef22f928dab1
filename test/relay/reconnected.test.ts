import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openRenewingLink } from '../../shim/relay/control/renewing-link.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import { relay, startTestGateway } from '../grpc/gateway.ts';
import { networkTo } from './network.ts';

const log = pino({ level: 'silent' });

/** More than the gateway lets wait without a whole message. */
const commands = 600;

function startMessage() {
  const rest = {
    cwd: '/app',
    env: [],
    umask: 18,
    stdio: [],
    ignored: [],
    blocked: [],
    terminal: undefined,
    version: 1,
  };
  const value = {
    executionId: newExecutionId(),
    agent: 'coder',
    command: { tool: 'run', args: [], ...rest },
    identity: { uid: 1000, gid: 1000 },
    refusal: undefined,
    hostLabels: [],
  };
  return { message: { $case: 'start' as const, value } };
}

test('P20: a link is ready only while the gateway has answered its newest stream', async () => {
  await using gateway = await startTestGateway();
  const link = await openRenewingLink({
    ...{ address: gateway.address, identityDir: await gateway.identity(relay), log },
  });
  expect(await link.waitForReady(300)).toBe(false);
  const first = await link.synchronize(5000);
  first?.stream.on('error', () => {});
  expect(await link.waitForReady(5000)).toBe(true);
  first?.stream.cancel();
  await expect.poll(() => link.waitForReady(0)).toBe(false);
  const second = await link.synchronize(5000);
  second?.stream.on('error', () => {});
  expect(await link.waitForReady(5000)).toBe(true);
  link.close();
});

test('P20: six hundred commands that wait for the gateway all run when it is back', async () => {
  await using gateway = await startTestGateway();
  await using network = await networkTo(gateway.port);
  const identityDir = await gateway.identity(relay);
  const link = await openRenewingLink({ address: `localhost:${network.port}`, identityDir, log });
  const left = new AbortController();
  const synchronizing = (async () => {
    while (!left.signal.aborted) {
      const opened = await link.synchronize(1000);
      if (opened === undefined) continue;
      const { stream } = opened;
      stream.on('error', () => {}).on('data', () => {});
      const leave = () => stream.cancel();
      left.signal.addEventListener('abort', leave);
      await new Promise((resolve) => stream.on('status', resolve));
      left.signal.removeEventListener('abort', leave);
      // As a relay waits before it tries again.
      await sleep(500);
    }
  })();
  expect(await link.waitForReady(5000)).toBe(true);
  network.cut();
  await expect.poll(() => link.waitForReady(0)).toBe(false);
  const one = async (): Promise<string> => {
    if (!(await link.waitForReady(10_000))) return 'unreachable';
    const call = link.execute();
    return await new Promise((resolve) => {
      call.on('error', ({ message }) => resolve(message));
      call.on('data', ({ message }) => resolve(message.$case));
      call.write(startMessage());
    });
  };
  const all = Array.from({ length: commands }, one);
  network.heal();
  expect(new Set(await Promise.all(all))).toEqual(new Set(['outcome']));
  left.abort();
  await synchronizing;
  link.close();
});
