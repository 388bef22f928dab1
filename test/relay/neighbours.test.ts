import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import type { StartRequest } from '../../gateway/ports/channel.ts';
import { messagesPerSecond } from '../../src/crumb-budgets.ts';
import type { Outcome } from '../../src/outcome.ts';
import { outcomeOf } from '../../src/outcome.ts';
import { version1 } from './requests.ts';
import { ShimClient } from './shim-client.ts';
import { startRelay } from './start-relay.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const ended: Outcome = { kind: 'exited', code: 0, signal: 0 };

/** As many connections as an agent may have, each with the next request as soon as the last is answered. */
async function startFlood(socket: string, kind: string, connections = 256): Promise<ChildProcess> {
  const program = join(import.meta.dirname, 'flooder.ts');
  const child = spawn(process.execPath, [program, socket, kind, String(connections)], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

/** Commands of the flooded agent wait until it leaves; all others end at once. */
function executeOf(starts: StartRequest[]): Execute {
  return (_caller, request, channel) => {
    starts.push(request);
    if (request.refusal !== undefined) return Promise.resolve(outcomeOf(request.refusal));
    if (request.command.tool !== 'sleep') return Promise.resolve(ended);
    return new Promise((resolve) =>
      channel.listen((input) => {
        if (input.type === 'signal') resolve(ended);
      }),
    );
  };
}

const kinds = isLong
  ? ['values', 'bytes', 'crumbs', 'blanks', 'keys', 'small', 'oversize', 'controls']
  : ['values', 'bytes'];

test.each(kinds)(
  'A-86 P20: while one agent asks for as much as it can (%s), its neighbour is served, and what runs goes on',
  async (kind) => {
    const starts: StartRequest[] = [];
    await using relay = await startRelay({ execute: executeOf(starts) });
    const long = new ShimClient(relay.neighbour).request({ ...version1, command: 'sleep' });
    await long.until(() => starts.length === 1);
    const before = process.memoryUsage().rss;
    const began = performance.now();
    const flood = await startFlood(relay.socket, kind);
    const times: number[] = [];
    for (let count = 0; count < 21 || performance.now() - began < (isLong ? 5000 : 1500); count += 1) {
      const shim = new ShimClient(relay.neighbour).request(version1);
      times.push(await shim.closed);
      expect(shim.exit).toEqual([0, 0]);
    }
    flood.kill('SIGKILL');
    const seconds = (performance.now() - began) / 1000;
    times.sort((a, b) => a - b);
    // It took eight seconds before there were budgets; this machine may be busy with other work.
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(1000);
    const large = starts.filter(
      ({ agent, command }) => agent === 'coder' && command.args.join('').length > 800_000,
    );
    expect(large.length).toBeLessThanOrEqual(8 + 4 * (seconds + 1));
    expect(starts.filter(({ agent }) => agent === 'coder').length).toBeLessThanOrEqual(
      1500 + 501 * (seconds + 1),
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(500e6);
    long.frame(6, Uint8Array.of(15));
    await long.closed;
    expect(long.exit).toEqual([0, 0]);
  },
  60_000,
);

test('A-76 A-86: beyond its budget an agent is refused before its request is read; the gateway is told once a second', async () => {
  const starts: StartRequest[] = [];
  await using relay = await startRelay({
    execute: executeOf(starts),
    limits: { requestsPerSecond: 10, bytesPerSecond: 100_000 },
  });
  const ask = async (args: readonly string[]) => {
    const shim = relay.shim().request({ ...version1, args });
    await shim.closed;
    return shim.exit?.[0] === 0 ? '' : shim.output(2);
  };
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask([])));
  expect(answers.filter((answer) => answer === '').length).toBeGreaterThanOrEqual(20);
  const refused = answers.filter((answer) => answer !== '');
  expect(refused.length).toBeGreaterThan(20);
  expect(new Set(refused)).toEqual(
    new Set(['clawrden: rate-limit: coder asks for more than 10 commands a second; wait and try again\n']),
  );
  const other = new ShimClient(relay.neighbour).request(version1);
  await other.closed;
  expect(other.exit).toEqual([0, 0]);
  const told = () => starts.flatMap(({ refusal }) => refusal ?? []);
  await expect.poll(() => told().length).toBeGreaterThan(0);
  expect(told().length).toBeLessThanOrEqual(3);
  expect(told()[0]).toMatchObject({
    code: 'rate-limit',
    message: expect.stringMatching(/\d+ refused by the relay/),
  });
  // A request larger than the whole budget is served when the budget is full, and the next one must wait.
  await expect.poll(() => ask(['x'.repeat(400_000)]), { interval: 500 }).toBe('');
  expect(await ask([])).toMatch(/^clawrden: rate-limit: coder asks with more than 100000 bytes a second/);
  await expect.poll(() => ask([]), { interval: 200 }).toBe('');
});

test('A-364 P20: 64 KiB of signals on each of its connections cost its neighbour no more than one turn of them', async () => {
  const connections = 200;
  let [starts, taken] = [0, 0];
  const execute: Execute = (_caller, request, channel) => {
    if (request.agent !== 'coder') return Promise.resolve(ended);
    starts += 1;
    return new Promise(() =>
      channel.listen(() => {
        taken += 1;
      }),
    );
  };
  await using relay = await startRelay({ execute });
  const flood = await startFlood(relay.socket, 'held-controls', connections);
  await expect.poll(() => starts, { timeout: 20_000 }).toBe(connections);
  const began = performance.now();
  flood.stdin?.write('now\n');
  let slowest = 0;
  while (performance.now() - began < 1000) {
    const shim = new ShimClient(relay.neighbour).request(version1);
    slowest = Math.max(slowest, await shim.closed);
    expect(shim.exit).toEqual([0, 0]);
  }
  const seconds = (performance.now() - began) / 1000;
  // Twice as many at once; without a budget before they are handled it is all of them, two millions.
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThanOrEqual(messagesPerSecond * (2 + seconds + 1) + 64 * connections);
  // Without that budget it is not served within a minute; this machine may be busy with other work.
  expect(slowest).toBeLessThan(10_000);
}, 60_000);
