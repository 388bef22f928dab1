import { expect, test } from 'vitest';
import { createPolicyChecks } from '../../gateway/judging/policy-checks.ts';
import { reportOnText } from '../../src/policy/review/policy-report.ts';
import { answerOf, ask } from './ask.ts';
import { startHttpGateway } from './http-gateway.ts';

const policy = `version: 1
tools:
  npm: { strategy: ghost, image: "node:24" }
rules:
  - { name: all, action: allow }
complete: true
`;

test('a policy text is told over HTTP as `clawrden policy check --json` tells its file', async () => {
  await using door = await startHttpGateway({ warden: { checkPolicy: createPolicyChecks() } });
  const token = door.token('viewer', { scope: { team: 'web' } });
  for (const text of [policy, '', `${policy}a: [`])
    expect(await answerOf(door, 'checkPolicy', { token, body: { text } })).toEqual({
      file: 'policy.yaml',
      ...reportOnText(text, 'policy.yaml', false),
    });
  const forced = await answerOf(door, 'checkPolicy', { token, body: { text: policy, force: true } });
  expect(forced).toMatchObject({ ok: true, errors: [expect.stringContaining('allows every tool')] });
  const long = { text: `${policy}#${'x'.repeat(1024 * 1024)}` };
  expect(await answerOf(door, 'checkPolicy', { token, body: long })).toMatchObject({
    problems: ['policy.yaml:1: it is larger than 1048576 bytes'],
  });
});

test('P20: a check whose caller has gone is aborted', async () => {
  const aborted = Promise.withResolvers<unknown>();
  await using door = await startHttpGateway({
    warden: {
      checkPolicy: async (_wish, _name, signal) => {
        signal.addEventListener('abort', () => aborted.resolve((signal.reason as { code: string }).code));
        leave.abort();
        return new Promise(() => {});
      },
    },
  });
  const leave = new AbortController();
  const token = door.token('viewer');
  const request = { method: 'POST', token, signal: leave.signal, body: JSON.stringify({ text: '' }) };
  const headers = { 'content-type': 'application/json' };
  await expect(door.fetch('/api/v1/policy/check', { ...request, headers })).rejects.toThrow('abort');
  expect(await aborted.promise).toBe('requester-gone');
  expect(await ask(door, 'checkPolicy', { token, body: {} })).toMatchObject({ problem: { status: 400 } });
});
