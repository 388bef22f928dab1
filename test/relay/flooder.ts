import { connect, type Socket } from 'node:net';
import { encodeFrame, FrameType } from '../../src/wire/frames.ts';

/** An agent's process that asks as fast as it can, over that many connections at once, until it is told to end. */
const [path = '', kind = '', connections = '1'] = process.argv.slice(2);

const identity = { uid: 1000, gid: 1000 };
const plain = {
  v: 1,
  command: kind === 'held-controls' ? 'sleep' : 'ls',
  args: [''],
  cwd: '/app',
  env: [],
  identity,
  umask: 18,
};
const stdio = { stdio: ['pipe', 'pipe', 'pipe'], ignored: [] };
const mebibyte = 1024 * 1024;

const bodies: Readonly<Record<string, () => string>> = {
  /** The most arguments that a command may have, and a megabyte of them. */
  values: () => JSON.stringify({ ...plain, ...stdio, args: Array(32_000).fill('x'.repeat(27)) }),
  bytes: () => JSON.stringify({ ...plain, ...stdio, args: Array(8).fill('x'.repeat(130_000)) }),
  crumbs: () =>
    `{"args":[${Array(mebibyte / 2 - 10)
      .fill('0')
      .join(',')}]}`,
  blanks: () => `{"args":${' '.repeat(mebibyte - 20)}[]}`,
  keys: () => `{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":0`).join(',')}}`,
  small: () => JSON.stringify({ ...plain, ...stdio }),
};

// It ends with the process that started it.
process.stdin.on('end', () => process.exit()).resume();

const body = Buffer.from((bodies[kind] ?? bodies['small']!)());
const length = Buffer.alloc(4);
length.writeUInt32BE(body.length);
/** Refused from its header, whatever follows. */
const oversize = Buffer.from('ffffffff', 'hex');
const request = kind === 'oversize' ? oversize : Buffer.concat([length, body]);
const controls = Buffer.concat(
  Array.from({ length: 5000 }, (_, index) => [
    encodeFrame(FrameType.signal, Uint8Array.of(index % 2 === 0 ? 18 : 10)),
    encodeFrame(FrameType.resize, Uint8Array.of(0, index % 200, 0, 24)),
  ]).flat(),
);

/** Connections whose commands stay: when a line comes over stdin, each of them brings 64 KiB of signals at once. */
const held: Socket[] = [];
const usr1 = encodeFrame(FrameType.signal, Uint8Array.of(10));
const signals = Buffer.concat(Array.from({ length: 65_536 / usr1.length }, () => usr1));
process.stdin.on('data', () => {
  for (const socket of held) socket.write(signals);
});

function flood(): void {
  const socket = connect(path);
  socket.on('error', () => {});
  socket.on('close', () => setImmediate(flood));
  socket.on('end', () => socket.destroy());
  socket.resume();
  socket.write(request);
  if (kind === 'held-controls') held.push(socket);
  if (kind !== 'controls') return;
  const write = () => {
    while (socket.writable && socket.write(controls));
  };
  socket.on('drain', write);
  write();
}

for (let index = 0; index < Number(connections); index += 1) flood();
process.stdout.write('flooding\n');
