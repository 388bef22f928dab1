import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { startRunning } from '../dashboard/running.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

let gateway: RealGateway;
let relay: GatewayClient;
beforeAll(async () => {
  gateway = await startRealGateway({
    policy: '  - { name: keep-all, tools: [run], action: allow, record: full }\n',
  });
  relay = await gateway.relay();
});
afterAll(async () => {
  relay?.close();
  await gateway?.[Symbol.asyncDispose]();
});

const hostile = '\u001b]0;title\u0007\u001b[6n';

test('A-136: logs -f follows a command until it ends; replay plays it again, and its asciicast is printable', async () => {
  const running = await startRunning(relay, 'for', 'a', 'while');
  running.write(`begun ${hostile}\u001b[1mnow\u001b[0m\n`);
  const followed = gateway.cli('logs', '-f', running.id.slice(0, -1));
  const isWatched = () => readFileSync(gateway.audit, 'utf8').includes('"type":"watch"');
  await expect.poll(isWatched, { timeout: 60_000 }).toBe(true);
  running.write('a warning\n', 'stderr');
  running.write('more\n');
  running.end();
  const { code, stdout, stderr } = await followed;
  expect([code, stdout]).toEqual([0, 'begun \u001b[1mnow\u001b[0m\nmore\n']);
  expect(stderr).toBe(
    'a warning\nclawrden: logs: it ended with 3\nclawrden: logs: 2 control sequences of it were left out\n',
  );

  const again = await gateway.cli('replay', running.id, '--speed', '100');
  expect(again).toMatchObject({
    code: 0,
    stderr: 'clawrden: replay: 2 control sequences of it were left out\n',
  });
  expect(again.stdout.replaceAll('\r\n', '\n')).toContain('begun \u001b[1mnow\u001b[0m\n');
  const cast = (await gateway.cli('replay', running.id, '--json')).stdout;
  expect(cast).toMatch(/^[\x20-\x7e\n]+$/);
  const [head, ...events] = cast
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(head).toMatchObject({ version: 2, width: 80, height: 24 });
  expect(events[0]).toEqual([expect.any(Number), 'o', expect.stringContaining(hostile)]);
});

test('what has ended is not followed, and what was not recorded is not replayed', async () => {
  const running = await startRunning(relay, 'short');
  running.end();
  await expect.poll(running.wasStopped).toBe(true);
  expect((await gateway.cli('logs', '-f', running.id)).stderr).toContain('has ended; see clawrden replay');
  expect((await gateway.cli('replay', running.id, '--speed', '0')).stderr).toContain('--speed is 0.1 to 100');
  const refused = await gateway.cli('replay', '0199f3a1-b2c3-7abc-8def-000000000001');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('no single execution')]);
});
