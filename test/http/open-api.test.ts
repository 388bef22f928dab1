import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/http-api/routes.ts';
import { answerOf } from './ask.ts';
import { type Description, described } from './described.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

let door: HttpGateway;
let token: string;
beforeAll(async () => {
  door = await startHttpGateway();
  token = door.token('viewer');
});
afterAll(() => door[Symbol.asyncDispose]());

test('the description is valid OpenAPI 3.1, and has every route', async () => {
  const document = await answerOf(door, 'openApi', { token });
  expect(document['openapi']).toBe('3.1.0');
  expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
  const { paths } = document as unknown as Description;
  const told = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(told.toSorted()).toEqual(
    Object.values(routes)
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  );
});

test('a broken description and a wrong answer are noticed', async () => {
  const document = await answerOf(door, 'openApi', { token });
  const broken = { ...structuredClone(document), paths: { status: {} } };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  const api = described();
  expect(api.faultsOf('health', 'application/json', { status: 'ok' })).toEqual([]);
  expect(api.faultsOf('health', 'application/json', { status: 'no' })).not.toEqual([]);
  expect(api.faultsOf('health', 'application/json', { status: 'ok', more: 1 })).not.toEqual([]);
  expect(api.faultsOfProblem({ status: 400 })).not.toEqual([]);
});
