import { createServer, type Socket } from 'node:net';

/** After so long without a byte it has all that comes. */
const silentMs = 25;

const fine = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfine';
const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';

/** What a server may say besides an answer; the path names it. */
const answers: Readonly<Record<string, string>> = {
  upgrade: 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nbytes',
  garbage: '\0\x01\x02 no HTTP at all\r\n\r\n',
  'two-lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 4\r\n\r\nfine',
  'length-and-chunks':
    'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n',
  folded: 'HTTP/1.1 200 OK\r\nX-A: 1\r\n X-B: 2\r\nContent-Length: 4\r\n\r\nfine',
  'line-feeds': 'HTTP/1.1 200 OK\nContent-Length: 4\n\nfine',
  two: `${fine}${fine}`,
  letters:
    'HTTP/1.1 200 Tr\xc3\xa8s\r\nLocation: /caf\xc3\xa9\r\nX-L: \xe9\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfine',
};

/** Reads bytes and no HTTP, so that nothing of a request is lost to a parser; each connection is one text. */
export function startRaw(port: number, note: (socket: Socket) => void): { readonly take: () => string[] } {
  const all: string[] = [];
  createServer({ allowHalfOpen: true }, (socket) => {
    note(socket);
    let got = '';
    socket.setTimeout(silentMs).on('timeout', () => {
      if (got !== '') answer(socket, /^\S+ \S*\/answer-([a-z-]+)/.exec(got)?.[1] ?? '');
    });
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString('latin1');
    });
    socket.on('close', () => void all.push(got));
  }).listen(port, '::');
  return { take: () => all.splice(0) };
}

function answer(socket: Socket, what: string): void {
  socket.setTimeout(0);
  if (what === 'never') return;
  if (what === 'hints') return forEver(socket, hint);
  if (what === 'headers') return forEver(socket, 'X-A: 1\r\n', 'HTTP/1.1 200 OK\r\n');
  if (what === 'cut' || what === 'cut-late') return cut(socket, what === 'cut' ? 0 : 300);
  if (what === 'whole') return void socket.end('HTTP/1.1 200 OK\r\n\r\nbeginning');
  if (what === 'body') return forEver(socket, 'x'.repeat(65_536), 'HTTP/1.1 200 OK\r\n\r\n');
  socket.end(answers[what] ?? fine, 'latin1');
}

/** Of no stated length, and reset. */
function cut(socket: Socket, afterMs: number): void {
  socket.write('HTTP/1.1 200 OK\r\n\r\nbeginning');
  setTimeout(() => socket.resetAndDestroy(), afterMs);
}

function forEver(socket: Socket, text: string, begin = ''): void {
  const bytes = text.repeat(Math.ceil(65_536 / text.length));
  const more = () => {
    while (socket.writable && socket.write(bytes, 'latin1'));
  };
  socket.on('drain', more);
  socket.write(begin);
  more();
}
