import { Duplex, duplexPair, type Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EgressError } from '../../src/egress/egress-error.ts';
import { splice } from './splice.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 2000 : 200;
const sizes = fc.array(fc.integer({ min: 1, max: 200_000 }), { maxLength: 5 });

/** The other end of each side is in the test's hand. */
function sides(): { client: Duplex; server: Duplex; user: Duplex; far: Duplex } {
  const [[client, user], [server, far]] = [duplexPair(), duplexPair()];
  for (const end of [client, server, user, far]) end.on('error', () => {});
  return { client, server, user, far };
}

async function send(to: Duplex, pieces: readonly number[]): Promise<void> {
  for (const [at, size] of pieces.entries()) {
    if (!to.write(Buffer.alloc(size, at))) await new Promise((resolve) => to.once('drain', resolve));
    await turn();
  }
  to.end();
}

/** Stops between pieces, so that the sender must wait. */
async function receive(from: Readable): Promise<number> {
  let bytes = 0;
  for await (const piece of from) {
    bytes += (piece as Buffer).length;
    await turn();
  }
  return bytes;
}

const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);

test('what one side sends and its end come to the other, both ways, in each order of the ends', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, sizes, async (up, down) => {
      const { client, server, user, far } = sides();
      const spent = { up: 0, down: 0 };
      const spliced = splice(
        client,
        server,
        (way, bytes) => (spent[way] += bytes),
        new AbortController().signal,
      );
      const [gotUp, gotDown] = await Promise.all([
        receive(far),
        receive(user),
        send(user, up),
        send(far, down),
        spliced,
      ]);
      expect([gotUp, gotDown]).toEqual([sum(up), sum(down)]);
      expect(spent).toEqual({ up: gotUp, down: gotDown });
    }),
    { numRuns },
  );
});

test('a side that does not read holds the other back', async () => {
  const { client, server, user, far } = sides();
  const over = new AbortController();
  let spent = 0;
  const spliced = splice(client, server, (_way, bytes) => (spent += bytes), over.signal);
  let written = 0;
  while (written < 64 * 1024 * 1024 && user.write(Buffer.alloc(16_384))) {
    written += 16_384;
    await turn();
  }
  expect(written).toBeLessThan(1024 * 1024);
  expect(spent).toBeLessThan(1024 * 1024);
  far.resume();
  await new Promise((resolve) => user.once('drain', resolve));
  over.abort(new Error('enough'));
  await expect(spliced).rejects.toThrow('enough');
});

const ends = {
  'the client is destroyed': ({ client }) => client.destroy(),
  'the server is destroyed': ({ server }) => server.destroy(),
  'the client fails': ({ client }) => client.destroy(new Error('reset')),
  'the server fails': ({ server }) => server.destroy(new Error('reset')),
  'it is late': ({ server }) => server.destroy(new EgressError('late', 'no byte came')),
  'it is aborted': (_, over) => over.abort(new EgressError('limit', 'over')),
} satisfies Record<string, (of: ReturnType<typeof sides>, over: AbortController) => void>;

test.each(Object.entries(ends))('if %s, both sides are, and it says why', async (how, end) => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(5), async (up, turns) => {
      const [all, over] = [sides(), new AbortController()];
      const spliced = splice(all.client, all.server, () => {}, over.signal).catch((error: unknown) => error);
      all.far.resume();
      // Without its end: it would be over by itself.
      for (const size of up) all.user.write(Buffer.alloc(size));
      for (let n = 0; n < turns; n += 1) await turn();
      end(all, over);
      const error = (await spliced) as EgressError;
      const why = { 'it is late': 'late', 'it is aborted': 'limit' }[how] ?? 'unreachable';
      expect([error.fault, all.client.destroyed, all.server.destroyed]).toEqual([why, true, true]);
    }),
    { numRuns: numRuns / 10 },
  );
});

test('bytes over a limit are not passed on, and the limit is the reason', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(300_000), async (up, most) => {
      const { client, server, user, far } = sides();
      let left = most;
      const spend = (_way: string, bytes: number) => {
        left -= bytes;
        if (left < 0) throw new EgressError('limit', 'too much');
      };
      const spliced = splice(client, server, spend, new AbortController().signal).catch(
        (error: unknown) => error,
      );
      let got = 0;
      far.on('data', (piece: Buffer) => (got += piece.length)).once('end', () => far.end());
      user.resume();
      void send(user, up).catch(() => {});
      const error = await spliced;
      expect(got).toBeLessThanOrEqual(most);
      if (sum(up) > most) expect(error).toMatchObject({ fault: 'limit' });
      else expect([error, got]).toEqual([undefined, sum(up)]);
    }),
    { numRuns },
  );
});

test('a side that has ended already, and one that is gone, are not waited for', async () => {
  const { client, server, user, far } = sides();
  user.end();
  client.resume();
  await turn();
  far.resume();
  far.end('x');
  expect(
    await Promise.all([splice(client, server, () => {}, new AbortController().signal), receive(user)]),
  ).toEqual([undefined, 1]);
  const gone = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }).destroy();
  await turn();
  const other = sides();
  await expect(splice(gone, other.server, () => {}, new AbortController().signal)).rejects.toThrow(
    'it was cut off',
  );
  expect(other.server.destroyed).toBe(true);
});
