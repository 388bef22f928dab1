// In a ghost: WAY is a word for the policy; by a proxy if the environment names one.
//   WAY download HOST PORT BYTES   milliseconds until so many bytes have come
//   WAY first HOST PORT COUNT      of each of COUNT connections, 20 ms apart, milliseconds until its first byte has come back
//   WAY idle HOST PORT COUNT       opens COUNT connections, says so, and ends with its input
//   WAY crowd HOST PORT AT-ONCE    opens connections, so many at once, until its input ends; says when 1,000 were, and how many at last
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [, what, host, port, number] = process.argv.slice(2);
const count = Number(number);
const { HTTP_PROXY: proxy } = process.env;

async function open() {
  const at = proxy === undefined ? { host, port: Number(port) } : { host: '127.0.0.1', port: 3128 };
  const socket = connect({ ...at, noDelay: true });
  await once(socket, 'connect');
  if (proxy === undefined) return { socket, rest: 0 };
  socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`);
  for (let head = ''; ; ) {
    const [chunk] = await once(socket, 'data');
    head += chunk.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) continue;
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(head.slice(0, end));
    socket.pause();
    return { socket, rest: head.length - end - 4 };
  }
}

if (what === 'download') {
  const began = performance.now();
  const { socket, rest } = await open();
  let got = rest;
  for await (const chunk of socket) {
    got += chunk.length;
    if (got >= count) break;
  }
  console.log(performance.now() - began);
}
if (what === 'first')
  for (let i = 0; i < count; i += 1) {
    const began = performance.now();
    const { socket } = await open();
    socket.write('x');
    socket.resume();
    await once(socket, 'data');
    console.log(performance.now() - began);
    socket.destroy();
    // An account has fifty a second, and one that follows at once waits for the record of the one before.
    await sleep(20);
  }
if (what === 'idle') {
  await Promise.all(Array.from({ length: count }, open));
  console.log('open');
  await once(process.stdin.resume(), 'end');
}
if (what === 'crowd') {
  let opened = 0;
  let ended = false;
  void once(process.stdin.resume(), 'end').then(() => (ended = true));
  const keepOpening = async () => {
    while (!ended) {
      // The gateway turns away what is more than an agent may have.
      await open().then(
        ({ socket }) => socket.destroy(),
        () => {},
      );
      opened += 1;
      if (opened === 1000) console.log('many');
    }
  };
  await Promise.all(Array.from({ length: count }, keepOpening));
  console.log(opened);
}
process.exit();
