import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from 'clawrden/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import { ApiError, connect as connectSource, type ExecutionEvent } from '../../src/http-api/client.ts';
import { failure, type Outcome } from '../../src/outcome.ts';
import { type FleetWarden, makeFleet, own, type Row } from '../grpc/two-fleets.ts';
import { described } from './described.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

let fleet: FleetWarden;
let door: HttpGateway;
let token: string;
const gone: unknown[] = [];

/** `echo` prints its arguments and its input, `hang` waits for its caller to go, everything else is denied. */
const execute: Execute = async (_caller, { command }, channel): Promise<Outcome> => {
  if (command.tool === 'hang') {
    void channel.send({ type: 'started', host: 'h', container: 'c' });
    await channel.send({ type: 'stdout', bytes: Buffer.from('hanging\n') });
    await new Promise((resolve) => channel.gone.addEventListener('abort', resolve));
    gone.push(channel.gone.reason);
    return failure('canceled', 'gone');
  }
  if (command.tool !== 'echo') return failure('denied-by-default', 'no rule');
  void channel.send({ type: 'accepted', planHash: 'p' });
  void channel.send({ type: 'started', host: 'h', container: 'c' });
  for (const word of command.args) await channel.send({ type: 'stdout', bytes: Buffer.from(`${word}\n`) });
  return { kind: 'exited', code: command.args.length, signal: 0 };
};

beforeAll(async () => {
  fleet = await makeFleet(own);
  door = await startHttpGateway({ execute, warden: fleet.warden });
  token = door.token('operator');
});
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await fleet.close();
});

const request = (tool: string, ...args: string[]) => ({ agent: '', tool, args });

test('the package exports the client, without a library', async () => {
  expect(connect.name).toBe(connectSource.name);
  const seen = new Set<string>();
  const look = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = await readFile(file, 'utf8');
    for (const [, type, from = ''] of text.matchAll(/^(?:import|export) (type )?[^;]*? from '([^']+)'/gm)) {
      if (type !== undefined) continue;
      expect([file, from.startsWith('.')]).toEqual([file, true]);
      await look(join(dirname(file), from));
    }
    expect(text).not.toMatch(/\b(Buffer|process|require)\b/);
  };
  await look(join(import.meta.dirname, '../../src/http-api/client.ts'));
  expect(seen.size).toBe(7);
});

test('it runs a command, waits or reads along, and tells what was refused', async () => {
  const client = connect({ url: door.url, token });
  const told = await client.run(request('echo', 'a', 'ü'));
  expect(told).toMatchObject({ outcome: { kind: 'exited', exitCode: 2 }, stdout: { data: 'a\nü\n' } });
  const events: ExecutionEvent[] = [];
  for await (const event of client.stream(request('echo', 'x'))) events.push(event);
  expect(events.map(({ type }) => type)).toEqual(['accepted', 'started', 'stdout', 'outcome']);
  const api = described();
  expect(api.faultsOf('runExecution', 'application/json', told)).toEqual([]);
  for (const event of events) expect(api.faultsOf('runExecution', 'application/x-ndjson', event)).toEqual([]);
  const refused = await client.run(request('rm')).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'ApiError', problem: { status: 403, code: 'denied-by-default' } });
  const nobody = connectSource({ url: door.url, token: 'clw_no' });
  await expect(nobody.run(request('echo'))).rejects.toThrow(ApiError);
});

test('P24: who stops reading, or aborts, cancels the command', async () => {
  const client = connect({ url: door.url, token });
  for await (const event of client.stream(request('hang'))) if (event.type === 'stdout') break;
  await expect.poll(() => gone.length).toBe(1);
  const leave = new AbortController();
  const run = client.run(request('hang'), { signal: leave.signal });
  setTimeout(() => leave.abort(), 100);
  await expect(run).rejects.toThrow('abort');
  await expect.poll(() => gone.length).toBe(2);
  expect(gone).toMatchObject([{ code: 'requester-gone' }, { code: 'requester-gone' }]);
});

test('it lists page by page, and answers a question', async () => {
  const rows = Array.from({ length: 5 }, (_, number): Row => ({ agent: 'web-1', number, isRunning: true }));
  await fleet.fill(rows);
  const client = connect({ url: door.url, token });
  const ids: string[] = [];
  for await (const { id } of client.list('approvals', { limit: '2' })) ids.push(id);
  expect(ids.length).toBe(5);
  const [id = ''] = ids;
  const { planHash } = await client.call('approval', { params: { id } });
  await client.call('verdict', { params: { id }, body: { planHash, verdict: 'deny', reason: 'no' } });
  expect((await client.call('approvals', { query: {} })).approvals.length).toBe(4);
});

test('the example of an orchestrator runs', async () => {
  const example = join(import.meta.dirname, '../../examples/orchestrator/orchestrator.ts');
  const env = { ...process.env, CLAWRDEN_URL: door.url, CLAWRDEN_TOKEN: token };
  const { stdout } = await promisify(execFile)(process.execPath, [example, '', 'echo', 'hello'], {
    env,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toContain('hello\n');
  expect(stdout).toContain('web-1');
});

test('a page of the gateway uses it without a token: by the cookie and the token of its session', async () => {
  let cookie = '';
  /** What a browser adds to the requests of a page of the door. */
  const browser: typeof fetch = async (target, init) => {
    const headers = new Headers(init?.headers);
    headers.set('sec-fetch-site', 'same-origin');
    if (cookie !== '') headers.set('cookie', cookie);
    if (init?.method !== 'GET') headers.set('origin', door.url);
    const answer = await fetch(target, { ...init, headers });
    cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? cookie;
    return answer;
  };
  const page = connectSource({ url: door.url, fetch: browser });
  await expect(page.call('session', {})).rejects.toThrow(ApiError);
  const { csrfToken, principal } = await page.call('signIn', { body: { code: await door.code(token) } });
  expect(principal).toBe('person:operator');
  expect(await page.call('session', {})).toMatchObject({ principal, csrfToken });
  await expect(page.run(request('echo', 'a'))).rejects.toThrow('x-clawrden-csrf');
  const client = connectSource({ url: door.url, csrfToken, fetch: browser });
  expect(await client.run(request('echo', 'a'))).toMatchObject({ stdout: { data: 'a\n' } });
  for await (const event of client.stream(request('hang'))) if (event.type === 'stdout') break;
  expect((await client.call('agents', { query: {} })).agents).toBeInstanceOf(Array);
  expect(await client.call('signOut', {})).toEqual({ signedOut: true });
  await expect(client.call('session', {})).rejects.toThrow(ApiError);
});
