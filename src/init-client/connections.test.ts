import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { encodeFrame, type Frame, FrameReader, FrameType } from '../wire/frames.ts';
import { type SpokenInit, spokenInit, spokenPlan } from './spoken-init.fixture.ts';

const windowUp = 64 * 1024;
const windowDown = 256 * 1024;

const of = (type: number, id: number, rest: Uint8Array = new Uint8Array()) =>
  encodeFrame(type, Buffer.concat([Buffer.of(id), rest]));
const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

interface Talk extends AsyncDisposable {
  readonly init: SpokenInit;
  readonly served: Duplex[];
  /** What the gateway has said of connections. */
  readonly heard: Frame[];
  readonly until: (what: () => boolean) => Promise<void>;
  readonly ended: Promise<unknown>;
  /** Bytes that were carried to the init. */
  readonly carried: (id: number) => number;
}

/** A run whose tool is started, and that has a network. */
async function talk(network = true): Promise<Talk> {
  const init = await spokenInit();
  const [served, heard]: [Duplex[], Frame[]] = [[], []];
  const reader = new FrameReader();
  init.socket.on('data', (chunk: Buffer) => {
    for (const { type, payload } of reader.push(chunk))
      if (type >= FrameType.opened) heard.push({ type, payload: Buffer.from(payload) });
  });
  const plan = { ...spokenPlan, network };
  const serve = (client: Duplex) => void served.push(client);
  const running = init.session.run({ plan, send: () => undefined, onStarted: () => {}, serve });
  const ended = running.catch((error: unknown) => error);
  await init.asked;
  init.say([encodeFrame(FrameType.started)]);
  return {
    ...{ init, served, heard, ended },
    until: async (what) => await expect.poll(what, { interval: 5 }).toBe(true),
    carried: (id) =>
      heard
        .filter(({ type, payload }) => type === FrameType.carried && payload[0] === id)
        .reduce((sum, { payload }) => sum + payload.length - 1, 0),
    [Symbol.asyncDispose]: async () => {
      init[Symbol.dispose]();
      await ended;
    },
  };
}

/** Also after an error, for which `once` would reject. */
const closing = async (client: Duplex) => await new Promise((resolve) => client.once('close', resolve));

test('a connection is a stream of both ways, and its number is free when both sides have said so', async () => {
  await using one = await talk();
  one.init.say([of(FrameType.opened, 7), of(FrameType.carried, 7, Buffer.from('question'))]);
  one.init.say([of(FrameType.finished, 7)]);
  await one.until(() => one.served.length === 1);
  const [client] = one.served as [Duplex];
  expect(await text(client)).toBe('question');
  // As Node ends some HTTP responses. To the init a frame without a byte is a breach.
  client.write(Buffer.alloc(0));
  client.end('answer');
  await one.until(() => one.heard.some(({ type }) => type === FrameType.gone));
  expect(one.heard.map(({ type, payload }) => [type, payload.toString('latin1')])).toEqual([
    [FrameType.carried, '\x07answer'],
    [FrameType.finished, '\x07'],
    [FrameType.gone, '\x07'],
  ]);
  one.init.say([of(FrameType.gone, 7), of(FrameType.opened, 7)]);
  await one.until(() => one.served.length === 2);
});

test('what its client has not taken waits, and holds up no other connection', async () => {
  await using one = await talk();
  one.init.say([of(FrameType.opened, 0), of(FrameType.opened, 1)]);
  await one.until(() => one.served.length === 2);
  const [slow, other] = one.served as [Duplex, Duplex];
  const written = Promise.withResolvers<void>();
  slow.write(Buffer.alloc(3 * windowDown), () => written.resolve());
  other.write('x');
  await one.until(() => one.carried(1) === 1 && one.carried(0) === windowDown);
  one.init.say([of(FrameType.room, 0, number(windowDown))]);
  await one.until(() => one.carried(0) === 2 * windowDown);
  one.init.say([of(FrameType.room, 0, number(windowDown))]);
  await written.promise;
});

test('what is not read here is granted no more than its window', async () => {
  await using one = await talk();
  one.init.say([of(FrameType.opened, 0), of(FrameType.carried, 0, Buffer.alloc(windowUp))]);
  await one.until(() => one.served.length === 1);
  const [client] = one.served as [Duplex];
  let read = 0;
  client.on('data', (chunk: Buffer) => {
    read += chunk.length;
  });
  const granted = () =>
    one.heard
      .filter(({ type }) => type === FrameType.room)
      .reduce((sum, { payload }) => sum + payload.readUInt32BE(1), 0);
  await one.until(() => read === windowUp && granted() === windowUp);
});

test('a client that goes away ends its stream; a stream that ends here is told to the init', async () => {
  await using one = await talk();
  one.init.say([of(FrameType.opened, 0), of(FrameType.opened, 1)]);
  await one.until(() => one.served.length === 2);
  const [first, second] = one.served as [Duplex, Duplex];
  const closed = closing(first);
  one.init.say([of(FrameType.gone, 0)]);
  await closed;
  second.destroy();
  // On its way when it ended.
  one.init.say([of(FrameType.carried, 1, Buffer.of(1)), of(FrameType.finished, 1), of(FrameType.gone, 1)]);
  one.init.say([of(FrameType.opened, 1)]);
  await one.until(() => one.served.length === 3);
});

test('A-362 P24: stdin that waits for an init is not held against its connections', async () => {
  await using one = await talk();
  one.init.say([of(FrameType.opened, 0), of(FrameType.opened, 1)]);
  await one.until(() => one.served.length === 2);
  one.init.socket.pause();
  const feed = (bytes: number) => one.init.session.input({ type: 'stdin', bytes: Buffer.alloc(bytes) });
  while (one.init.heldBytes() === 0) feed(1000);
  feed(windowDown);
  expect(one.init.heldBytes()).toBeGreaterThan(windowDown);
  for (const client of one.served) client.destroy();
  one.init.socket.resume();
  await one.until(() => one.heard.filter(({ type }) => type === FrameType.gone).length === 2);
});

test('with the run all of them end', async () => {
  await using one = await talk();
  one.init.say([of(FrameType.opened, 0)]);
  await one.until(() => one.served.length === 1);
  const closed = closing(one.served[0] as Duplex);
  one.init.say([encodeFrame(FrameType.unread, number(0)), encodeFrame(FrameType.exit, Buffer.alloc(20))]);
  expect(await one.ended).toMatchObject({ type: 'exit' });
  await closed;
});

const open = of(FrameType.opened, 0);
const byte = of(FrameType.carried, 0, Buffer.of(1));

test.each([
  ['a number twice', [open, open]],
  ['a number that is too large', [of(FrameType.opened, 64)]],
  ['bytes of none', [byte]],
  ['no bytes', [open, of(FrameType.carried, 0)]],
  [
    'more bytes than its window',
    [
      open,
      of(FrameType.carried, 0, Buffer.alloc(windowUp)),
      of(FrameType.carried, 0, Buffer.alloc(windowUp)),
    ],
  ],
  ['bytes behind their end', [open, of(FrameType.finished, 0), byte]],
  ['a second end', [open, of(FrameType.finished, 0), of(FrameType.finished, 0)]],
  ['more room than its window', [open, of(FrameType.room, 0, number(1))]],
  ['anything after its last word', [open, of(FrameType.gone, 0), byte]],
  ['a connection after the end', [encodeFrame(FrameType.unread, number(0)), open]],
])('A-190 P24: an init that says %s has broken its protocol', async (_what, frames) => {
  await using one = await talk();
  one.init.say(frames);
  expect(await one.ended).toMatchObject({ name: 'InitFault', kind: 'broke' });
});

test('A-190 P24: so has one that speaks of connections and has no network', async () => {
  await using one = await talk(false);
  one.init.say([open]);
  expect(await one.ended).toMatchObject({ name: 'InitFault', kind: 'broke' });
});
