import { Validator } from '@seriousme/openapi-schema-validator';
import { type Document, type OpenAPIClient, OpenAPIClientAxios } from 'openapi-client-axios';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Execute } from '../../gateway/execute.ts';
import { type RouteName, routes } from '../../src/http-api/routes.ts';
import { failure } from '../../src/outcome.ts';
import { type FleetWarden, makeFleet, own } from '../grpc/two-fleets.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

let fleet: FleetWarden;
let door: HttpGateway;
let token: string;
let description: Document;

const execute: Execute = async (_caller, { command }, channel) => {
  if (command.tool !== 'echo') return failure('denied-by-default', 'no rule');
  void channel.send({ type: 'started', host: 'h', container: 'c' });
  await channel.send({ type: 'stdout', bytes: Buffer.from(`${command.args.join(' ')}\n`) });
  return { kind: 'exited', code: 3, signal: 0 };
};

beforeAll(async () => {
  fleet = await makeFleet(own);
  door = await startHttpGateway({ execute, warden: fleet.warden });
  token = door.token('operator');
  description = (await (await door.fetch('/api/v1/openapi.json', { token })).json()) as Document;
});
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await fleet.close();
});

type Called = (
  params?: object | null,
  body?: unknown,
  config?: object,
) => Promise<{ status: number; data: Record<string, unknown> }>;

/** A client that knows nothing of us but the description that the door has served. */
async function makeClient(definition: Document, authorization = `Bearer ${token}`) {
  expect(
    await new Validator().validate(structuredClone(definition) as object as Record<string, unknown>),
  ).toMatchObject({ valid: true });
  const axiosConfigDefaults = { headers: { authorization }, validateStatus: () => true };
  const api = new OpenAPIClientAxios({ definition, withServer: { url: door.url }, axiosConfigDefaults });
  return await api.init<OpenAPIClient & Record<RouteName, Called>>();
}

test('a client that is made from the served description runs a command and lists agents', async () => {
  const client = await makeClient(description);
  const ran = await client.runExecution(null, { agent: '', tool: 'echo', args: ['a', 'ü'] });
  expect(ran).toMatchObject({
    status: 200,
    data: { outcome: { kind: 'exited', exitCode: 3 }, stdout: { data: 'a ü\n', encoding: 'utf-8' } },
  });
  const { status, data } = await client.agents({ limit: 100 });
  expect([status, (data['agents'] as { name: string }[]).map(({ name }) => name)]).toEqual([
    200,
    [...own].toSorted(),
  ]);
  const denied = await client.runExecution(null, { agent: '', tool: 'rm', args: [] });
  expect(denied).toMatchObject({ status: 403, data: { code: 'denied-by-default' } });
  const lines = { headers: { accept: 'application/x-ndjson' }, responseType: 'text' };
  const streamed = await client.runExecution(null, { agent: '', tool: 'echo', args: ['x'] }, lines);
  expect(streamed.data).toContain('{"type":"stdout","data":"x\\n","encoding":"utf-8"}');
});

test('it finds every route: where it is, by which method and with which parameters', async () => {
  const client = await makeClient(description);
  const params = { id: 'a'.repeat(32), name: 'coder' };
  for (const name of Object.keys(routes) as RouteName[]) {
    if (!('answer' in routes[name])) continue;
    const { status, data } = await client[name](routes[name].path.includes('{') ? params : null);
    // A body may be missing, and nothing has this id.
    expect([name, status, data['detail']]).not.toEqual([name, 404, 'there is nothing at this path']);
    expect([name, status]).not.toEqual([name, 405]);
  }
});

test('without a token, and from a description that is wrong, it gets nowhere', async () => {
  expect(await (await makeClient(description, '')).agents()).toMatchObject({ status: 401 });
  const text = JSON.stringify(description).replaceAll('/api/v1/agents', '/api/v1/agent');
  expect(await (await makeClient(JSON.parse(text) as Document)).agents()).toMatchObject({ status: 404 });
});
