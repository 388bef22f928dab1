import { createSocket, type RemoteInfo } from 'node:dgram';
import { isIP } from 'node:net';

/** What a name has, at one lookup: addresses and names for it. `silent`: nothing comes. */
export interface Zone {
  /** By name: what is answered first, then, and for ever from the last one on. */
  readonly [name: string]: readonly (readonly string[] | 'silent')[];
}

export interface DnsServer {
  zone: Zone;
  /** Each name, as often as it was asked for. */
  readonly asked: string[];
}

/** A name server that says what a test wants, and another thing the next time. */
export function startDns(): DnsServer {
  const server: DnsServer = { zone: {}, asked: [] };
  const lookups = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => answer(query, from));
  socket.bind(53, '0.0.0.0');

  function answer(query: Buffer, from: RemoteInfo): void {
    const { name, end, type } = readQuestion(query);
    server.asked.push(name);
    const steps = server.zone[name];
    const key = `${name} ${type}`;
    const step = lookups.get(key) ?? 0;
    lookups.set(key, step + 1);
    const found = steps?.[Math.min(step, steps.length - 1)];
    if (found === 'silent') return;
    const records = (found ?? []).flatMap((text) => recordsOf(text, type));
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(found === undefined ? 0x8183 : 0x8180, 2);
    for (const [at, count] of [1, records.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * at);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address);
  }
  return server;
}

const types: Readonly<Record<number, number>> = { 4: 1, 6: 28, 0: 5 };

/** Of another type nothing, but that a name is another name counts for each. */
function recordsOf(text: string, type: number): Buffer[] {
  const own = types[isIP(text)] ?? 0;
  if (own !== 5 && own !== type) return [];
  const data = own === 5 ? nameBytes(text) : addressBytes(text);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(own, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(data.length, 10);
  return [Buffer.concat([record, data])];
}

function readQuestion(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5, type: query.readUInt16BE(at + 1) };
}

function nameBytes(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
    Buffer.of(0),
  ]);
}

function addressBytes(text: string): Buffer {
  if (isIP(text) === 4) return Buffer.from(text.split('.').map(Number));
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const [, start = text, ...four] = dotted ?? [];
  const [a = 0, b = 0, c = 0, d = 0] = four.map(Number);
  const whole =
    dotted === null ? text : `${start}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const [front = '', back] = whole.split('::');
  const [first, last] = [front, back ?? ''].map((part) => part.split(':').filter((word) => word !== ''));
  const missing = 8 - (first?.length ?? 0) - (last?.length ?? 0);
  const words = [...(first ?? []), ...Array.from({ length: missing }, () => '0'), ...(last ?? [])];
  return Buffer.from(
    words.flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 0xff]),
  );
}
