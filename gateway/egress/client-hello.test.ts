import { once } from 'node:events';
import { connect as connectTcp, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { longestHello, readClientHello } from './client-hello.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 20_000 : 500;

/** What Node's own TLS sends first. */
async function realHello(servername: string | undefined): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const socket = connectTcp((server.address() as { port: number }).port, '127.0.0.1');
  const tls = connectTls({ socket, ...(servername !== undefined && { servername }) });
  tls.on('error', () => {});
  const [peer] = await accepted;
  const [bytes] = (await once(peer, 'data')) as [Buffer];
  peer.destroy();
  server.close();
  return bytes;
}

describe('a TLS hello', () => {
  let named: Buffer;
  let nameless: Buffer;
  beforeAll(async () => {
    [named, nameless] = await Promise.all([realHello('registry.example'), realHello(undefined)]);
  });

  it('names its server, or none', () => {
    expect(readClientHello(named)).toEqual({ is: 'whole', serverName: 'registry.example' });
    expect(readClientHello(nameless)).toEqual({ is: 'whole', serverName: undefined });
  });

  it('is read however it is cut into records, and nothing behind it counts', () => {
    const message = named.subarray(5);
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: message.length - 1 }), { maxLength: 20 });
    fc.assert(
      fc.property(cuts, fc.uint8Array({ maxLength: 50 }), (places, behind) => {
        const ends = [...places.toSorted((a, b) => a - b), message.length];
        const records = ends.map((end, at) => record(message.subarray(at === 0 ? 0 : ends[at - 1], end)));
        const bytes = Buffer.concat([...records, behind]);
        expect(readClientHello(bytes)).toEqual({ is: 'whole', serverName: 'registry.example' });
      }),
      { numRuns },
    );
  });

  it('is not whole before its last byte', () => {
    for (let end = 0; end < named.length; end += 1)
      expect([end, readClientHello(named.subarray(0, end))]).toEqual([end, { is: 'more' }]);
  });

  it('never names another server after any one byte was changed, unless in the name itself', () => {
    const at = named.indexOf('registry.example');
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: named.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (place, flip) => {
          const bytes = Buffer.from(named);
          bytes[place] = (bytes[place] ?? 0) ^ flip;
          const hello = readClientHello(bytes);
          const isInName = place >= at && place < at + 'registry.example'.length;
          if (hello.is === 'whole' && !isInName && hello.serverName !== undefined)
            expect(hello.serverName).toBe('registry.example');
        },
      ),
      { numRuns: numRuns * 4 },
    );
  });

  it.each([
    ['two names', extension(0, vector(2, name('a.example'), name('b.example')))],
    ['the name twice', Buffer.concat([sni('a.example'), sni('a.example')])],
    [
      'a name of another type',
      extension(0, vector(2, Buffer.concat([Buffer.of(1), vector(2, Buffer.from('a'))]))),
    ],
    ['an empty list', extension(0, vector(2))],
    ['a list that is too long', extension(0, Buffer.from([0, 99, 0, 0, 1, 97]))],
    ['something behind the list', extension(0, Buffer.concat([vector(2, name('a')), Buffer.of(0)]))],
  ])('with %s is no hello', (_what, extensions) => {
    expect(readClientHello(helloWith(extensions))).toEqual({ is: 'invalid' });
  });

  it.each([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
    ['SSH', Buffer.from('SSH-2.0-x\r\n')],
    ['an old hello', Buffer.from([0x80, 0x2e, 1, 3, 1])],
    ['application data', record(Buffer.of(1, 0, 0, 0), 23)],
    ['a server hello', record(Buffer.of(2, 0, 0, 0))],
    ['an empty record', Buffer.of(22, 3, 1, 0, 0)],
    ['a message that is too long', record(Buffer.of(1, 1, 0, 0))],
    [
      'a hundred records',
      Buffer.concat(Array.from({ length: 100 }, () => record(Buffer.of(1))).slice(0, 100)),
    ],
  ])('is not %s', (_what, bytes) => {
    expect(readClientHello(bytes)).toEqual({ is: 'invalid' });
  });

  it('is read in bounded time, whatever it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: longestHello }), (bytes) => {
        expect(['more', 'invalid', 'whole']).toContain(readClientHello(record(Buffer.from(bytes))).is);
      }),
      { numRuns: 100 },
    );
    expect(readClientHello(helloWith(sni('a.example')))).toEqual({ is: 'whole', serverName: 'a.example' });
  });
});

function record(part: Buffer, type = 22): Buffer {
  return Buffer.concat([Buffer.of(type, 3, 1, part.length >> 8, part.length & 255), part]);
}

function vector(width: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(width);
  head.writeUIntBE(body.length, 0, width);
  return Buffer.concat([head, body]);
}

function extension(type: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.of(type >> 8, type & 255), vector(2, body)]);
}

function name(text: string): Buffer {
  return Buffer.concat([Buffer.of(0), vector(2, Buffer.from(text))]);
}

function sni(text: string): Buffer {
  return extension(0, vector(2, name(text)));
}

function helloWith(extensions: Buffer): Buffer {
  const start = [Buffer.alloc(34, 3), vector(1), vector(2, Buffer.of(19, 1)), vector(1, Buffer.of(0))];
  return record(Buffer.concat([Buffer.of(1), vector(3, ...start, vector(2, extensions))]));
}
