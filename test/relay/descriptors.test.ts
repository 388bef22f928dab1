import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let dir: string;
const started: AsyncDisposable[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-descriptors-'));
});
afterEach(async () => {
  for (const one of started.splice(0)) await one[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

/** A process; resolves when it has said `word`. */
async function until(word: string, argv: readonly string[]): Promise<string> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  started.push({
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  });
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes(word)) break;
  }
  return said;
}

/** What sends TCP sockets that linger for days over the Unix socket, several at once, on several connections. */
const sender = `
import array, socket, struct, sys, threading, time
held = []
def lingering():
    door = socket.create_server(('127.0.0.1', 0))
    near = socket.create_connection(door.getsockname())
    far, _ = door.accept()
    held.append((door, far))
    near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 2000000))
    near.setblocking(False)
    try:
        while True: near.send(bytes(65536))
    except BlockingIOError: return near
def send():
    over = socket.socket(socket.AF_UNIX)
    over.connect(sys.argv[1])
    held.append(over)
    near = [lingering() for _ in range(20)]
    rights = array.array('i', [one.fileno() for one in near])
    try: over.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    except PermissionError: print('refused', flush=True)
    for one in near: one.close()
for _ in range(8):
    # Who closes last waits: this thread if the message was refused, or read already.
    one = threading.Thread(target=send, daemon=True)
    one.start()
    one.join(0.2)
print('sent', flush=True)
time.sleep(60)
`;

async function attacked(how: string): Promise<{ path: string; said: string; sent: string }> {
  const path = join(dir, 'sockets/coder/warden.sock');
  const server = join(import.meta.dirname, 'descriptor-server.ts');
  const said = await until('ready', [process.execPath, server, path, how]);
  return { path, said, sent: await until('sent', ['python3', '-c', sender, path]) };
}

/** How long the server takes to greet a client, in milliseconds; 3000 if it does not in that time. */
async function greeting(path: string): Promise<number> {
  const start = performance.now();
  const socket = connect(path);
  await once(socket, 'data', { signal: AbortSignal.timeout(3000) }).catch(() => {});
  socket.destroy();
  return Math.min(performance.now() - start, 3000);
}

test('A-291 P20: without a guard, one sender of descriptors stops the thread for as long as it likes', async () => {
  const { path } = await attacked('nothing');
  expect(await greeting(path)).toBe(3000);
});

test('A-291 P20: the kernel refuses descriptors, and the next client is served', async () => {
  const { path, said, sent } = await attacked('refuse');
  expect(await greeting(path)).toBeLessThan(1000);
  // A kernel older than 6.16 is told of, and goes the other way.
  expect(said.includes('older than 6.16')).toBe(!sent.includes('refused'));
});

test('A-291 P20: on an older kernel the thread is woken, and the next client is served within a second', async () => {
  const { path, said, sent } = await attacked('wake');
  expect(await greeting(path)).toBeLessThan(1000);
  expect([said.includes('older than 6.16'), sent.includes('refused')]).toEqual([true, false]);
});
