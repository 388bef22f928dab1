import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { newMirrored, play } from './mirrored.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

let gateway: RealGateway;
let relay: GatewayClient;

beforeAll(async () => {
  gateway = await startRealGateway({
    hosts: [{ name: 'away', engine: 'unix:///nonexistent/docker.sock' }],
  });
  relay = await gateway.relay();
});
afterAll(async () => {
  relay?.close();
  await gateway?.[Symbol.asyncDispose]();
});

async function run() {
  const command = newMirrored();
  await play(relay, command, { tool: 'run' }, gateway.audit);
  return { starts: command.starts, reason: command.outcome?.reason };
}

test('P19 A-72: a kill counts at once and over a restart, also if no host or relay can confirm it: then that is said, soon', {
  timeout: 60_000,
}, async () => {
  expect(await run()).toEqual({ starts: 1, reason: '' });
  const began = performance.now();
  // The relay of this test never reports what happened to its agents.
  const answer = gateway.cli('kill', 'coder', '--reason', 'frightened');
  await expect.poll(run, { interval: 20 }).toEqual({ starts: 0, reason: 'agent-killed' });
  expect(await answer).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^clawrden: kill: not confirmed to be gone: agent coder \(relay host-1 at 127\.0\.0\.1:\d+\), what an earlier gateway left on away; /,
    ),
  });
  // Far sooner on a machine without other work: the gateway waits 2 s.
  expect(performance.now() - began).toBeLessThan(30_000);
  relay.close();
  await gateway.end('SIGKILL');
  await gateway.start();
  relay = await gateway.relay();
  expect(await run()).toEqual({ starts: 0, reason: 'agent-killed' });
  expect(await gateway.cli('resume', 'coder')).toMatchObject({ code: 0 });
  expect(await run()).toEqual({ starts: 1, reason: '' });
});

/** Resolves with its id when its relay has told that it runs; it does not end. */
async function endless(): Promise<string> {
  const command = newMirrored();
  void play(relay, command, { tool: 'run', endless: true }, gateway.audit);
  await expect
    .poll(async () => (await gateway.cli('ps', '--json')).stdout)
    .toMatch(new RegExp(`${command.id}.*"running"|"running".*${command.id}`, 's'));
  return command.id;
}

test('P19: a kill names a mirrored command whose relay ended its stream, or whose gateway was killed', {
  timeout: 60_000,
}, async () => {
  const first = await endless();
  relay.close();
  const cut = await gateway.cli('kill', 'coder');
  expect(cut.code).toBe(1);
  expect(cut.stderr).toMatch(
    new RegExp(`gone: agent coder \\(relay host-1 is not connected\\), ${first} on host-1, `),
  );
  await gateway.cli('resume', 'coder');
  relay = await gateway.relay();
  const second = await endless();
  await gateway.end('SIGKILL');
  await gateway.start();
  const lost = await gateway.cli('kill', 'coder');
  expect(lost.stderr).toMatch(new RegExp(`, ${second} on (?:host-1|its agent host), `));
  await gateway.end('SIGKILL');
  // As if the commands had run in containers: no engine is here.
  const database = new SqliteDatabase(join(gateway.state, 'clawrden.db'));
  const change = database.prepare(
    "update executions set strategy = 'ghost', host = ?, container = id where id = ?",
  );
  for (const [id, host] of [
    [first, 'gone'],
    [second, 'away'],
  ])
    change.run(host, id);
  database.close();
  await gateway.start();
  const left = await gateway.cli('kill', 'coder');
  expect(left.stderr).toContain(`, ${first} on gone, what an earlier gateway left on away; `);
});
