import { unlink } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import type { StartRequest } from '../../gateway/ports/channel.ts';
import { outcomeOf } from '../../src/outcome.ts';
import { version0, version1 } from './requests.ts';
import { type RelayOptions, startRelay, type TestRelay } from './start-relay.ts';

/** A relay whose gateway records its reports and lets every command end well at once. */
async function startRecording(options: RelayOptions = {}): Promise<TestRelay & { starts: StartRequest[] }> {
  const starts: StartRequest[] = [];
  const relay = await startRelay({
    ...options,
    execute: async (_caller, request) => {
      starts.push(request);
      return request.refusal === undefined
        ? { kind: 'exited', code: 0, signal: 0 }
        : outcomeOf(request.refusal);
    },
  });
  return Object.assign(relay, { starts });
}

/** The next good request works within a second. */
async function expectServed(relay: TestRelay): Promise<void> {
  const shim = relay.shim().request(version1);
  expect(await shim.closed).toBeLessThan(1000);
  expect(shim.exit).toEqual([0, 0]);
}

test('A-01 a request of length 0 is dropped', async () => {
  await using relay = await startRecording();
  const shim = relay.shim();
  shim.socket.write(Buffer.alloc(4));
  expect(await shim.closed).toBeLessThan(1000);
  expect(shim.acks).toEqual([]);
  expect(relay.starts).toEqual([]);
  await expectServed(relay);
});

test('A-02 a length of 4 GiB is refused from the header; 50 of them hold no memory', async () => {
  await using relay = await startRecording();
  const before = process.memoryUsage().rss;
  const shims = Array.from({ length: 50 }, () => relay.shim());
  for (const shim of shims) shim.socket.write(Buffer.from('ffffffff', 'hex'));
  await Promise.all(shims.map((shim) => shim.closed));
  expect(process.memoryUsage().rss - before).toBeLessThan(20e6);
  expect(shims.map((shim) => shim.exit)).toEqual(shims.map(() => [1, 0]));
  await expectServed(relay);
});

test('A-03 one byte more than 1 MiB is refused as too large, while the client is still writing it', async () => {
  await using relay = await startRecording();
  const empty = JSON.stringify({ ...version0, pad: '' }).length;
  const shim = relay.shim().request({ ...version0, pad: 'x'.repeat(1024 * 1024 + 1 - empty) });
  await shim.closed;
  expect(shim.acks).toEqual([1]);
  expect(shim.output(2)).toBe('clawrden: too-large: the request is larger than 1048576 bytes\n');
  expect(shim.exit).toEqual([1, 0]);
  expect(relay.starts.map(({ refusal }) => refusal?.code)).toEqual(['too-large']);
  await expectServed(relay);
});

test('a request of exactly 1 MiB is served', async () => {
  await using relay = await startRecording();
  const empty = JSON.stringify({ ...version1, args: [''] }).length;
  const shim = relay.shim().request({ ...version1, args: ['x'.repeat(1024 * 1024 - empty)] });
  await shim.closed;
  expect(shim.exit).toEqual([0, 0]);
});

test('A-04 500 clients that send slowly or not at all keep no good one waiting, and are closed', async () => {
  await using relay = await startRecording();
  const slow = Array.from({ length: 500 }, () => relay.shim());
  for (const shim of slow) shim.socket.write(Uint8Array.of(0, 0));
  await slow[499]?.until(() => slow.every(({ socket }) => !socket.connecting));
  await expectServed(relay);
  const drip = relay.shim();
  const body = Buffer.from(JSON.stringify(version1));
  let sent = 0;
  const timer = setInterval(() => void (sent < 200 && drip.socket.write(body.subarray(sent, ++sent))), 100);
  drip.socket.write(Uint8Array.of(0, 0, 0, body.length & 0xff));
  const silent = relay.shim();
  expect(await silent.closed).toBeLessThan(10_500);
  expect(await drip.closed).toBeLessThan(11_500);
  clearInterval(timer);
  await Promise.all(slow.map((shim) => shim.closed));
  expect(relay.starts).toHaveLength(1);
});

test.each([
  ['A-05 bytes that are not UTF-8', JSON.stringify(version0).replace('"ls"', '"\xff"'), 'latin1'],
  ['A-06 a key twice', `{"command":"docker",${JSON.stringify(version0).slice(1)}`, 'utf8'],
  ['A-07 __proto__', `{"__proto__":{"approved":true},${JSON.stringify(version0).slice(1)}`, 'utf8'],
  ['A-08 nesting of 100 000', '['.repeat(100_000), 'utf8'],
  ['A-08 a NUL', JSON.stringify({ ...version0, args: ['a\0b'] }), 'utf8'],
  [
    'A-10 a uid that is a string',
    JSON.stringify({ ...version0, identity: { uid: '1000', gid: 1000 } }),
    'utf8',
  ],
  ['A-13 another agent’s name', JSON.stringify({ ...version0, agent_id: 'B' }), 'utf8'],
] as const)('%s is refused, with one line and one record', async (_what, body, encoding) => {
  await using relay = await startRecording();
  const shim = relay.shim();
  const bytes = Buffer.from(body, encoding);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  shim.socket.write(Buffer.concat([length, bytes]));
  await shim.closed;
  expect(shim.acks).toEqual([1]);
  expect(shim.output(2)).toMatch(/^clawrden: request-invalid: [^\n]+\n$/);
  expect(shim.exit).toEqual([1, 0]);
  expect(relay.starts).toHaveLength(1);
  expect(relay.starts[0]).toMatchObject({ agent: 'coder', refusal: { code: 'request-invalid' } });
  expect(({} as { approved?: true }).approved).toBeUndefined();
  await expectServed(relay);
});

test.each([
  ['A-09 another uid than the kernel’s', { uid: 1000, gid: 1000 }, { uid: 0, gid: 0 }, 'identity-mismatch'],
  [
    'A-09 another gid than the kernel’s',
    { uid: 1000, gid: 1000 },
    { uid: 1000, gid: 0 },
    'identity-mismatch',
  ],
  ['the agent’s root', { uid: 0, gid: 0 }, { uid: 0, gid: 0 }, 'identity-root'],
  ['a user that is not the agent’s', { uid: 1001, gid: 1001 }, { uid: 1001, gid: 1001 }, 'identity-user'],
  ['the agent’s user in another group', { uid: 1000, gid: 0 }, { uid: 1000, gid: 0 }, 'identity-user'],
  ['an unmapped uid', { uid: 65534, gid: 65534 }, { uid: 0, gid: 0 }, 'identity-userns'],
])('%s is refused and recorded with the kernel’s ids', async (_what, peer, identity, code) => {
  await using relay = await startRecording({ peer });
  const shim = relay.shim().request({ ...version1, identity });
  await shim.closed;
  expect(shim.acks).toEqual([1]);
  expect(shim.output(2)).toContain(`clawrden: ${code}: `);
  expect(shim.exit).toEqual([1, 0]);
  expect(relay.starts).toHaveLength(1);
  expect(relay.starts[0]).toMatchObject({ identity: peer, refusal: { code }, command: { tool: 'ls' } });
});

test('a refusal waits for its record no longer than a second', async () => {
  await using relay = await startRecording();
  await expectServed(relay);
  relay.network.freeze();
  const shim = relay.shim().request({ ...version1, v: 7 });
  const took = await shim.closed;
  expect(shim.acks).toEqual([1]);
  expect(took).toBeGreaterThan(900);
  expect(took).toBeLessThan(2000);
});

test('P20 the 257th command of one agent is refused at once, and the next is served when one has ended', async () => {
  const ends: (() => void)[] = [];
  await using relay = await startRelay({
    execute: (_caller, _request, channel) => {
      void channel.send({ type: 'accepted', planHash: 'x' });
      return new Promise((resolve) => ends.push(() => resolve({ kind: 'exited', code: 0, signal: 0 })));
    },
  });
  const shims = [];
  for (let batch = 0; batch < 8; batch += 1) {
    const some = Array.from({ length: 32 }, () => relay.shim().request(version1));
    shims.push(...some);
    await some[0]?.until(() => some.every(({ acks }) => acks.length === 1), 10_000);
  }
  const refused = relay.shim().request(version1);
  expect(await refused.closed).toBeLessThan(1000);
  expect(refused.output(2)).toMatch(/^clawrden: rate-limit: /);
  for (const end of ends.splice(0)) end();
  await Promise.all(shims.map((shim) => shim.closed));
  expect(shims.every(({ exit }) => exit?.[0] === 0)).toBe(true);
  const next = relay.shim().request(version1);
  await next.until(() => ends.length === 1);
  ends[0]?.();
  await next.closed;
  expect(next.exit).toEqual([0, 0]);
});

test('A-423 P20: of commands that an agent asks for without end the relay logs some, and counts the others', async () => {
  await using relay = await startRecording();
  const [batches, inBatch] = [6, 50];
  const ended = () => relay.logged.filter(({ msg }) => msg === 'ended');
  const began = performance.now();
  for (let batch = 0; batch < batches; batch += 1) {
    const shims = Array.from({ length: inBatch }, () => relay.shim().request(version1));
    await Promise.all(shims.map((shim) => shim.closed));
  }
  expect(ended().length).toBeLessThanOrEqual(101 + (5 * (performance.now() - began)) / 1000);
  let asked = batches * inBatch;
  const untold = async () => {
    asked += 1;
    await expectServed(relay);
    return asked - ended().reduce((sum, { suppressed }) => sum + 1 + Number(suppressed), 0);
  };
  await expect.poll(untold, { interval: 300 }).toBe(0);
});

test('A-91: a socket that is taken away is made anew, and the gateway is told once', async () => {
  await using relay = await startRecording();
  await unlink(relay.socket);
  await vi.waitUntil(() => relay.starts.length > 0, { timeout: 60_000 });
  expect(relay.starts).toMatchObject([{ agent: 'coder', refusal: { code: 'socket-replaced' } }]);
  await expectServed(relay);
  expect(relay.logged).toContainEqual(expect.objectContaining({ agent: 'coder', reason: 'socket-replaced' }));
});
