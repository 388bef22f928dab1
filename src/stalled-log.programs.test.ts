import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clawrden-stalled-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const lines = 3000;
const imported = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
/** Logs far more than a pipe and the buffer hold, tells by a file that it lives, and once more when told to end. */
const program = `
  const { createLog } = await import(${imported('./log.ts')});
  const { say } = await import(${imported('./text/say.ts')});
  const { writeFileSync, existsSync } = await import('node:fs');
  const log = createLog('test');
  for (let i = 0; i < ${lines}; i++) log.info({ i, text: 'x'.repeat(1000) }, 'line');
  process.emitWarning('nobody reads this either');
  writeFileSync(process.argv[1] + '/alive', String(process.memoryUsage().rss));
  const end = () => { log.info('the last one'); say('test', 'the end'); process.exit(3); };
  setInterval(() => { if (existsSync(process.argv[1] + '/end')) end(); }, 20);
`;

function start(stderr: number) {
  const argv = ['--input-type=module', '--eval', program, dir];
  return spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', stderr] });
}

async function isAlive(): Promise<void> {
  await expect
    .poll(() => execFileSync('ls', [dir], { encoding: 'utf8' }), { timeout: 15_000 })
    .toContain('alive');
}

/** All that is there now. */
function readAvailable(fd: number): string {
  const bytes = Buffer.alloc(64 * 1024);
  let text = '';
  try {
    for (let count = readSync(fd, bytes); count > 0; count = readSync(fd, bytes))
      text += bytes.toString('latin1', 0, count);
  } catch (error) {
    expect(error).toMatchObject({ code: 'EAGAIN' });
  }
  return text;
}

interface Logged {
  readonly msg: string;
  readonly i?: number;
  readonly dropped?: number;
}

test('P21: a reader of the log that stalls stops nothing; when it comes back it is told how many lines it lost', {
  timeout: 40_000,
}, async () => {
  const fifo = join(dir, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(fifo, constants.O_WRONLY);
  const child = start(writer);
  closeSync(writer);
  await isAlive();
  expect(Number(readFileSync(join(dir, 'alive')))).toBeLessThan(200e6);
  let text = '';
  for (let patience = 0; patience < 300 && !text.includes('were lost'); patience += 1) {
    text += readAvailable(reader);
    await sleep(20);
  }
  writeSync(openSync(join(dir, 'end'), 'w'), 'now');
  const [status] = await once(child, 'exit');
  text += readAvailable(reader);
  closeSync(reader);
  expect(status).toBe(3);
  expect(text.endsWith('clawrden: test: the end\n') || text.includes('"the last one"')).toBe(true);
  const logged = text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Logged);
  const read = logged.filter(({ msg }) => msg === 'line');
  // In order, from the first on, and all that is missing is told of.
  expect(read.map(({ i }) => i)).toEqual(read.map((_, index) => index));
  const [told] = logged.filter(({ msg }) => msg.includes('were lost'));
  const warned = logged.filter(({ msg }) => msg === 'nobody reads this either');
  expect(read.length + warned.length + (told?.dropped ?? 0)).toBe(lines + 1);
  expect(read.length).toBeGreaterThan(900);
  expect(logged.at(-1)?.msg).toBe('the last one');
});

test.each(['fifo', 'socket'] as const)(
  'P21: a reader that never comes back (%s) holds up the end for a second at most',
  {
    timeout: 40_000,
  },
  async (kind) => {
    const stalled = kind === 'fifo' ? stalledFifo() : await stalledSocket();
    const child = start(stalled.writer);
    await isAlive();
    const ended = once(child, 'exit');
    writeSync(openSync(join(dir, 'end'), 'w'), 'now');
    // The two waits of half a second, and a machine that is busy.
    expect(await Promise.race([ended, sleep(8000, ['still there'], { ref: false })])).toEqual([3, null]);
    await stalled.close();
  },
);

function stalledFifo() {
  const fifo = join(dir, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(fifo, constants.O_WRONLY);
  const close = async () => {
    closeSync(reader);
    closeSync(writer);
  };
  return { writer, close };
}

/** As a service manager gives one to its services. */
async function stalledSocket() {
  const server = createServer((socket) => socket.pause());
  server.listen(join(dir, 'socket'));
  await once(server, 'listening');
  const { connect } = await import('node:net');
  const client = connect(join(dir, 'socket'));
  await once(client, 'connect');
  const writer = (client as unknown as { _handle: { fd: number } })._handle.fd;
  const close = async () => {
    client.destroy();
    server.close();
  };
  return { writer, close };
}
