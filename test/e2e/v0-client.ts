// The shim of the first Clawrden, by its protocol: a request without `v`, one ack, frames 1 to 4. It runs in an
// agent's container without anything else of ours: node v0-client.mts TOOL [ARG …]
import { connect } from 'node:net';

const [command = '', ...args] = process.argv.slice(2);
const env = Object.entries(process.env).map(([name, value]) => `${name}=${value}`);
const identity = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const body = Buffer.from(JSON.stringify({ command, args, cwd: process.cwd(), env, identity }));
const length = Buffer.alloc(4);
length.writeUInt32BE(body.length);

const socket = connect('/var/run/clawrden/warden.sock');
socket.write(Buffer.concat([length, body]));
let rest = Buffer.alloc(0);
let allowed = false;
let exit = 1;
socket.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  while (!allowed && rest.length > 0) takeAck();
  while (allowed && rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) takeFrame();
});
socket.on('close', () => {
  process.exitCode = exit;
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => socket.end(Uint8Array.of(4, 0, 0, 0, 0)));
}

function takeAck(): void {
  const ack = rest.readUInt8(0);
  rest = rest.subarray(1);
  if (ack === 1) {
    process.stderr.write('denied\n');
    process.exit(1);
  }
  if (ack === 2) process.stderr.write('pending\n');
  else if (ack === 0) allowed = true;
  else throw new Error(`ack ${ack}`);
}

function takeFrame(): void {
  const type = rest.readUInt8(0);
  const end = 5 + rest.readUInt32BE(1);
  const payload = rest.subarray(5, end);
  rest = rest.subarray(end);
  if (type === 1) process.stdout.write(payload);
  else if (type === 2) process.stderr.write(payload);
  else if (type === 3 && payload.length === 1) exit = payload.readUInt8(0);
  else throw new Error(`frame ${type} of ${payload.length} bytes`);
}
