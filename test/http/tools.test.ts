import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/http-api/client.ts';
import { teamTools } from '../fixtures/team-tools.ts';
import { answerOf, ask } from './ask.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';

let door: HttpGateway;
beforeAll(async () => {
  door = await startHttpGateway({ warden: teamTools() });
});
afterAll(() => door[Symbol.asyncDispose]());

async function namesFor(token: string): Promise<string[]> {
  return (await answerOf(door, 'tools', { token })).tools.map(({ name }) => name);
}

test('who sees all agents hears of every tool, also of those that nobody may use', async () => {
  const token = door.token('viewer');
  const { tools } = await answerOf(door, 'tools', { token });
  expect(tools.map(({ name, best }) => [name, best])).toEqual([
    ...[
      ['g++', 'allow'],
      ['ls', 'allow'],
      ['npm', 'allow'],
      ['psql', 'ask'],
      ['rm', 'deny'],
    ],
  ]);
  expect(tools[2]).toMatchObject({
    strategy: 'ghost',
    image: 'node:24',
    timeoutSeconds: 90,
    otherwise: 'deny',
  });
  const npm = await answerOf(door, 'tool', { token, params: { name: 'npm' } });
  expect(npm.rules).toEqual([
    { name: 'look', action: 'allow', reason: expect.any(String), instead: '' },
    { name: 'no-push', action: 'deny', reason: 'for people', instead: 'say so' },
    { name: 'db-npm', action: 'ask', reason: expect.any(String), instead: '' },
  ]);
  const psql = await answerOf(door, 'tool', { token, params: { name: 'psql' } });
  expect(psql).toMatchObject({
    description: "asks the team's database",
    documentation: "# psql\n\nReads only: `psql -c 'select 1'`.",
  });
  expect(tools.map(({ description }) => description !== '')).toEqual([false, false, false, true, false]);
  const client = connect({ url: door.url, token });
  expect(await client.call('tool', { params: { name: 'g++' } })).toMatchObject({ name: 'g++' });
});

test('A-68 P18: a scope, and an agent, hear of what their agents may use, and of no rule about others', async () => {
  for (const token of [
    door.token('viewer', { scope: { team: 'web' } }),
    door.token('agent', { name: 'web-1' }),
  ]) {
    expect(await namesFor(token)).toEqual(['g++', 'ls', 'npm']);
    const { rules } = await answerOf(door, 'tool', { token, params: { name: 'npm' } });
    expect(rules.map(({ name }) => name)).toEqual(['look', 'no-push']);
    const unknown = await ask(door, 'tool', { token, params: { name: 'nothing' } });
    for (const name of ['psql', 'rm'])
      expect(
        JSON.stringify(await ask(door, 'tool', { token, params: { name } })).replaceAll(name, 'nothing'),
      ).toBe(JSON.stringify(unknown));
  }
  expect(await namesFor(door.token('agent', { name: 'db-1' }))).toEqual(['g++', 'ls', 'npm', 'psql']);
  expect(await namesFor(door.token('agent', { name: 'gone' }))).toEqual([]);
  expect(await namesFor(door.token('admin', { scope: { team: 'none' } }))).toEqual([]);
  expect(await ask(door, 'tools', { token: door.token('orchestrator') })).toMatchObject({
    problem: { status: 403 },
  });
});
