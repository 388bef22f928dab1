import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InitSession } from '../../../src/init-client/init-session.ts';
import { nativeFile } from '../../../src/native-file.ts';
import type { Output } from '../../../src/wire/execution-io.ts';
import { planOf } from './init-process.ts';

/** Attached as an engine does it: the init's output has headers, and the test reads only what the init writes. */
function attach(child: ChildProcess, socket: Socket): void {
  socket.pipe(child.stdin!);
  child.stdout!.on('data', (chunk: Buffer) => {
    const header = Buffer.alloc(8);
    header.writeUInt8(1, 0);
    header.writeUInt32BE(chunk.length, 4);
    socket.write(Buffer.concat([header, chunk]));
  });
  child.stdout!.on('end', () => socket.end());
  for (const stream of [socket, child.stdin!]) stream.on('error', () => {});
}

test('A-86 P22: whatever an agent sends to a command that it has stopped, little is kept, and all counts once it goes on', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'clawrden-init-'));
  const child = spawn(nativeFile('clawrden-init'), { stdio: ['pipe', 'pipe', 'ignore'] });
  const server = createServer((socket) => attach(child, socket)).listen(join(folder.path, 'engine'));
  await once(server, 'listening');
  const socket = connect(join(folder.path, 'engine'));
  const session = new InitSession(socket);
  await session.ready();
  const got: Buffer[] = [];
  let credit = 0;
  const send = (output: Output) => {
    if (output.type === 'stdout') got.push(Buffer.from(output.bytes));
    if (output.type === 'credit') credit += output.bytes;
    return undefined;
  };
  const plan = planOf({ script: 'trap "" USR1; wc -c', stdio: ['pipe', 'pipe', 'pipe'] });
  const end = session.run({ plan, send, onStarted: () => {} });
  await expect.poll(() => credit).toBeGreaterThan(100_000);

  child.kill('SIGSTOP');
  const before = process.memoryUsage();
  for (let count = 0; count < 300_000; count += 1) {
    session.input({ type: 'signal', signal: count % 2 === 0 ? 18 : 10 });
    session.input({ type: 'resize', size: { cols: count % 1000, rows: 1 } });
    if (count < 100_000) session.input({ type: 'stdin', bytes: Uint8Array.of(120) });
    if (count % 10_000 === 0) await new Promise(setImmediate);
  }
  const after = process.memoryUsage();
  expect(socket.writableLength).toBeLessThan(256 * 1024);
  // Without a bound it would be some hundreds of megabytes.
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  expect(grown).toBeLessThan(128e6);
  session.input({ type: 'stdin-end' });
  child.kill('SIGCONT');
  expect(await end).toMatchObject({ type: 'exit', code: 0 });
  expect(Buffer.concat(got).toString().trim()).toBe('100000');
  socket.destroy();
  server.close();
  child.kill('SIGKILL');
});
