import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import { failure } from '../../src/outcome.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';
import { readAnswer } from './raw-http.ts';

let door: HttpGateway;
/** With the pace of every day. */
let patient: HttpGateway;
let token: string;
const text = 'x'.repeat(32 * 1024 * 1024);

const execute: Execute = async (_caller, { command }, { gone }) => {
  if (command.tool !== 'hang') return { kind: 'exited', code: 0, signal: 0 };
  await new Promise((resolve) => gone.addEventListener('abort', resolve));
  return failure('canceled', 'gone');
};

beforeAll(async () => {
  const pace = { headersMs: 400, requestMs: 800, idleMs: 500, takenMs: 2000, stalledMs: 500 };
  const warden = { policy: () => ({ hash: 'h', text, problem: '' }) };
  door = await startHttpGateway({ pace, warden });
  patient = await startHttpGateway({ execute });
  token = door.token('operator');
});
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await patient[Symbol.asyncDispose]();
});

async function open(method: string, path: string, lines: readonly string[] = []): Promise<Socket> {
  const socket = connect(door.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: 127.0.0.1:${door.port}`,
    `authorization: Bearer ${token}`,
  ];
  socket.write(`${[...head, ...lines].join('\r\n')}\r\n\r\n`);
  return socket;
}

test.each([['content-length: 200'], ['transfer-encoding: chunked']])(
  'A-86 P20: a body that comes slowly ends (%s)',
  async (length) => {
    const socket = await open('POST', '/api/v1/executions', ['content-type: application/json', length]);
    const timer = setInterval(() => socket.write(length.includes('chunked') ? '1\r\n \r\n' : ' '), 50);
    expect((await readAnswer(socket)).status).toBe(408);
    clearInterval(timer);
    expect((await door.fetch('/api/v1/agents', { token })).status).toBe(200);
  },
);

test('A-59 P20: an answer that nobody reads ends', async () => {
  const whole = await (await door.fetch('/api/v1/policy', { token })).text();
  expect(whole.length).toBeGreaterThan(text.length);
  const socket = await open('GET', '/api/v1/policy');
  socket.pause();
  // A busy machine takes seconds to begin such an answer.
  await once(socket, 'readable');
  await new Promise((resolve) => setTimeout(resolve, 3000));
  socket.resume();
  expect((await readAnswer(socket)).text.length).toBeLessThan(whole.length);
});

const post = (who: string, body: string, signal?: AbortSignal) =>
  patient.fetch('/api/v1/executions', {
    ...{ method: 'POST', token: who, body, headers: { 'content-type': 'application/json' } },
    ...(signal && { signal }),
  });
const body = (tool: string, stdin = '') => JSON.stringify({ agent: '', tool, args: [], stdin });

/** Starts so many that hang; resolves with the first answer that comes, and ends them all. */
async function flood(
  count: number,
  stdin: string,
): Promise<{ status: number; retry: string | null; other: number }> {
  const leave = new AbortController();
  const [busy, other] = [
    patient.token('operator', { name: `busy-${count}` }),
    patient.token('operator', { name: 'other' }),
  ];
  const calls: Promise<Response>[] = [];
  // One that is refused while it still writes may have no answer: its client asks again.
  const ask = async (): Promise<Response> =>
    await post(busy, body('hang', stdin), leave.signal).catch(async (error: unknown) => {
      if (leave.signal.aborted) throw error;
      return await ask();
    });
  for (let at = 0; at < count; at += 1) {
    calls.push(ask());
    // An address may open some hundred connections a second.
    if (at % 60 === 59) await new Promise((resolve) => setTimeout(resolve, 600));
  }
  for (const call of calls) call.catch(() => {});
  const { status, headers } = await Promise.race(calls);
  const told = { status, retry: headers.get('retry-after'), other: (await post(other, body('run'))).status };
  leave.abort();
  await expect.poll(async () => (await post(busy, body('run'))).status).toBe(200);
  return told;
}

test.each([
  ['open calls', 260, ''],
  ['bytes of bodies', 17, 'x'.repeat(2 * 1024 * 1024 - 100)],
])(
  'A-58 P20: one principal has so many %s, and is told to come back; another is served',
  async (_what, count, stdin) => {
    expect(await flood(count, stdin)).toEqual({ status: 429, retry: '1', other: 200 });
  },
);
