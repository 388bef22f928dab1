import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect as connectEngine } from '../../gateway/docker/engine/connect.ts';
import { getJson } from '../../gateway/docker/engine/get-json.ts';
import { secured } from '../../gateway/egress/secure-socket.ts';
import { askPage } from '../../gateway/fetch/ask-page.ts';
import { boundedFetch } from '../../gateway/oidc/bounded-fetch.ts';
import { callService } from '../../src/chats/call-service.ts';
import { postHook } from '../../src/hooks/post-hook.ts';
import { validity } from '../../src/pki/authority.ts';
import { readAtMost } from '../../src/read-at-most.ts';
import type { Span } from '../../src/traces/span.ts';
import { createSpanExporter } from '../../src/traces/span-exporter.ts';
import { makeCompanyPki } from '../fixtures/company-pki.ts';
import { type Answer, type Sealing, startFloodingServer } from './flooding-server.ts';
import { startRenegotiating } from './renegotiating-server.ts';

const waitMs = 30_000;
const hint = 'HTTP/1.1 103 Early Hints\r\n\r\n';
const body = '{"ok":true}';
const answered = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Far longer than what is read in one piece. */
const padded = answered.replace('\r\n\r\n', `\r\nX-Padding: ${'x'.repeat(8000)}\r\n\r\n`);

/** A thousand records at a time; more of each than any connection may bring. */
function* many(piece: (sealing: Sealing) => Buffer, sealing: Sealing, batches: number): Iterable<Buffer> {
  for (let n = 0; n < batches; n++) yield Buffer.concat(Array.from({ length: 1000 }, () => piece(sealing)));
}

const floods: Record<string, Answer> = {
  'key updates': (sealing) => many(({ keyUpdate }) => keyUpdate(), sealing, 200),
  'empty records': (sealing) => many(({ seal }) => seal(''), sealing, 400),
  'key updates before each byte of its answer': (sealing) =>
    [...padded].map((byte) => Buffer.concat([sealing.keyUpdate(), sealing.seal(byte)])),
  tickets: (sealing) => many(({ tickets }) => tickets(800), sealing, 10),
  'a ticket before each byte of its answer': (sealing) =>
    [...padded].map((byte) => Buffer.concat([sealing.tickets(1), sealing.seal(byte)])),
  hints: (sealing) => many(({ seal }) => seal(hint), sealing, 10),
};

const span: Span = {
  ...{ traceId: '1'.repeat(32), spanId: '2'.repeat(16), parentId: '', name: 'x', kind: 'internal' },
  ...{ startMs: 1, endMs: 2, attributes: {}, failed: false },
};

let folder: string;
let credentials: { cert: string; key: string; ca: string };
const trusted = getCACertificates('default');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawrden-tls-flood-'));
  const company = await makeCompanyPki();
  const { certificate, key } = await company.server(['127.0.0.1', 'localhost'], validity(1));
  credentials = { cert: certificate + company.between.certificate, key, ca: company.root.certificate };
  for (const [name, pem] of Object.entries(credentials)) await writeFile(join(folder, name), pem);
  setDefaultCACertificates([...trusted, credentials.ca]);
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await rm(folder, { recursive: true });
});

/** What the gateway asks over TLS. Each resolves with what an answer says, and rejects if there is none. */
const doors: Record<string, (port: number) => Promise<unknown>> = {
  'a Docker host': async (port) => {
    const tls = { ca: join(folder, 'ca'), cert: join(folder, 'cert'), key: join(folder, 'key') };
    const { docker, close } = connectEngine({ name: 'h', engine: `tcp://localhost:${port}`, tls });
    return await getJson(docker, '/info', waitMs).finally(close);
  },
  'a page': async (port) => {
    const signal = AbortSignal.timeout(waitMs);
    const raw = connectTcp({ host: '127.0.0.1', port });
    const socket = await secured(raw, '127.0.0.1', signal, Buffer.from(credentials.ca));
    const page = { href: `https://127.0.0.1:${port}/`, endpoint: { name: '127.0.0.1', port }, secure: true };
    try {
      return await jsonOf(await askPage(socket, page, 'GET', signal));
    } finally {
      socket.destroy();
    }
  },
  'a webhook': async (port) => {
    const receiver = { url: `https://127.0.0.1:${port}/`, secret: 'x', private: true };
    const delivery = { id: 'a/1', event: 'ping', body: '{}' };
    const answer = await postHook(receiver, delivery, AbortSignal.timeout(waitMs));
    if ('why' in answer) throw new Error(answer.why);
    return { ok: answer.taken };
  },
  'a chat': async (port) => {
    const call = { url: `https://127.0.0.1:${port}/`, headers: {}, body: {}, withinMs: waitMs, secret: 'x' };
    const answer = await callService(call, AbortSignal.timeout(waitMs));
    if ('why' in answer) throw new Error(answer.why);
    return answer.value.json;
  },
  'the provider of sign-ins': async (port) => {
    const options = { method: 'GET', headers: {}, redirect: 'manual' as const, body: null };
    const ask = boundedFetch(
      { url: `https://127.0.0.1:${port}`, private: false },
      AbortSignal.timeout(waitMs),
    );
    return await (await ask(`https://127.0.0.1:${port}/`, options)).json();
  },
};

async function jsonOf(answer: AsyncIterable<Uint8Array>): Promise<unknown> {
  return JSON.parse((await readAtMost(answer, 1 << 20, () => new Error('too much'))).toString());
}

describe.each(Object.entries(doors))('A-611 P20: %s', (_door, ask) => {
  test.each(Object.entries(floods))('that floods with %s loses its connection', async (_kind, flood) => {
    await using server = await startFloodingServer(credentials, flood);
    await expect(ask(server.port)).rejects.toBeInstanceOf(Error);
    await expect.poll(() => server.ends).toEqual(['cut']);
  });

  test('that wants another handshake of TLS 1.2 again and again loses its connection', async () => {
    await using server = await startRenegotiating(credentials);
    await ask(server.port).catch(() => {});
    expect(server.handshakes()).toBeLessThan(30);
  });

  test('that updates its keys now and then and writes small records is heard', async () => {
    await using server = await startFloodingServer(credentials, (sealing) => [
      ...Array.from({ length: 10 }, () => sealing.keyUpdate()),
      ...[...hint, ...answered].map((byte) => sealing.seal(byte)),
    ]);
    await expect(ask(server.port)).resolves.toEqual({ ok: true });
  });
});

test('A-611: a collector of traces that floods is told of', async () => {
  await using server = await startFloodingServer(credentials, floods['key updates'] as Answer);
  const told = Promise.withResolvers<string>();
  const url = `https://127.0.0.1:${server.port}/`;
  const exporter = createSpanExporter({ url, service: 'x', version: '1', warn: told.resolve });
  exporter.add([span]);
  expect(await told.promise).toContain('the collector of traces does not take them');
  await expect.poll(() => server.ends).toEqual(['cut']);
  await exporter.close();
});
