import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { problem } from '../../src/http-api/problem.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

let door: HttpGateway;
let token: string;
let ran = 0;

beforeAll(async () => {
  door = await startHttpGateway({
    execute: async () => {
      ran += 1;
      return { kind: 'exited', code: 0, signal: 0 };
    },
  });
  token = door.token('orchestrator');
});
afterAll(() => door[Symbol.asyncDispose]());
beforeEach(() => {
  ran = 0;
});

const hostile: [string, string, number][] = [
  ['a key twice', '{"agent":"","tool":"job","args":[],"tool":"rm"}', 400],
  ['a key that is not known', '{"agent":"","tool":"job","args":[],"x":1}', 400],
  ['a prototype', '{"agent":"","tool":"job","args":[],"__proto__":{"role":"admin"}}', 400],
  ['a prototype in the environment', '{"agent":"","tool":"job","args":[],"env":{"__proto__":"x"}}', 400],
  ['a constructor', '{"agent":"","tool":"job","args":[],"env":{"constructor":"x"}}', 400],
  ['its own role', '{"agent":"","tool":"job","args":[],"role":"admin"}', 400],
  ['an id of its own kind', '{"id":"1","agent":"","tool":"job","args":[]}', 400],
  [
    '100,000 items',
    JSON.stringify({ agent: '', tool: 'job', args: Array.from({ length: 100_000 }, () => 'x') }),
    400,
  ],
  ['nesting', `{"agent":"","tool":"job","args":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 400],
  ['half a character', '{"agent":"","tool":"job","args":["\\ud800"]}', 400],
  ['no JSON', '{"agent":"",', 400],
  ['nothing', '', 400],
  ['another type', '[]', 400],
  ['2 MiB', JSON.stringify({ agent: '', tool: 'job', args: ['x'.repeat(2 * 1024 * 1024)] }), 413],
];

test.each(hostile)('A-68 A-86: a body with %s is refused', async (_what, body, status) => {
  const send = (type: string, text: string) =>
    door.fetch('/api/v1/executions', {
      method: 'POST',
      token,
      headers: { 'content-type': type },
      body: text,
    });
  const answer = await send('application/json', body);
  expect([answer.status, problem.parse(await answer.json()).status]).toEqual([status, status]);
  expect(ran).toBe(0);
  const good = '{"agent":"","tool":"job","args":[]}';
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16'])
    expect([type, (await send(type, good)).status]).toEqual([type, 415]);
  expect((await send('application/json; charset=utf-8', good)).status).toBe(200);
});

const many = 33_000;
const names = Array.from({ length: many }, (_, at) => [`!${at}`, 'x']);

test.each([
  ['/api/v1/executions', 'numbers as arguments', { agent: '', tool: 'job', args: Array(many).fill(0) }],
  [
    '/api/v1/executions',
    'keys that no label has',
    { agent: '', tool: 'job', args: [], hostLabels: Object.fromEntries(names) },
  ],
  [
    '/mcp',
    'numbers as arguments',
    {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'execute', arguments: { program: 'job', args: Array(many).fill(0) } },
    },
  ],
])(
  'A-342 P20: to %s a body of 33,000 faults (%s) is refused by the first ones, in a few words',
  async (path, _what, body) => {
    const answer = await door.fetch(path, {
      ...{ method: 'POST', token: path === '/mcp' ? door.token('agent') : token },
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([
      400,
      expect.stringMatching(/an array holds texts only|an object has more keys/),
    ]);
    expect(text.length).toBeLessThan(4096);
    expect(ran).toBe(0);
  },
);

test('P12: bytes that are no UTF-8 are refused, not replaced', async () => {
  const headers = { 'content-type': 'application/json' };
  const body = Buffer.concat([
    Buffer.from('{"agent":"","tool":"job","args":["'),
    Buffer.from([0xff]),
    Buffer.from('"]}'),
  ]);
  expect((await door.fetch('/api/v1/executions', { method: 'POST', token, headers, body })).status).toBe(400);
});
