import { expect, test } from 'vitest';
import { createPolicyChecks } from '../../gateway/judging/policy-checks.ts';
import { composePolicy } from '../../src/policy/file/compose-policy.ts';
import { parseToolFile } from '../../src/policy/file/tool-file.ts';
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
  await using door = await startHttpGateway({ warden: { checkPolicy: createPolicyChecks(false) } });
  const token = door.token('viewer', { scope: { team: 'web' } });
  for (const text of [policy, '', `${policy}a: [`])
    expect(await answerOf(door, 'checkPolicy', { token, body: { text } })).toEqual({
      file: 'policy.yaml',
      ...reportOnText(text, 'policy.yaml', false, false),
    });
  const forced = await answerOf(door, 'checkPolicy', { token, body: { text: policy, force: true } });
  expect(forced).toMatchObject({ ok: true, errors: [expect.stringContaining('allows every tool')] });
  const long = { text: `${policy}#${'x'.repeat(1024 * 1024)}` };
  expect(await answerOf(door, 'checkPolicy', { token, body: long })).toMatchObject({
    problems: ['policy.yaml:1: it is larger than 1048576 bytes'],
  });
});

test('a whole policy, as the gateway shows it, is checked as a policy file is', async () => {
  const front = 'name: gh\ndescription: a tool\nstrategy: mirror\n';
  const file = parseToolFile(`---\n${front}---\nHow.\n`, 'gh.md', 'gh');
  if ('problems' in file) throw new Error(file.problems.join('\n'));
  const named = policy.replace('action: allow', 'tools: [gh], action: deny');
  const assignments = [{ agent: 'coder', tool: 'sh', action: 'allow', by: 'person:ann' }] as const;
  const whole = composePolicy(named, 'policy.yaml', { toolFiles: [[file.file]], assignments });
  if ('problems' in whole) throw new Error(whole.problems.join('\n'));
  await using door = await startHttpGateway({ warden: { checkPolicy: createPolicyChecks(true) } });
  const token = door.token('viewer');
  const report = async (text: string) => answerOf(door, 'checkPolicy', { token, body: { text } });
  expect(await report(whole.text)).toMatchObject({
    hash: whole.policy.hash,
    errors: [expect.stringContaining('assigned:coder:sh')],
  });
  expect(await report(named)).toMatchObject({
    ok: true,
    warnings: expect.arrayContaining([expect.stringContaining('"gh" is not')]),
  });
  expect(await report(whole.text.replace('strategy: mirror\n---', 'strategy: odd\n---'))).toMatchObject({
    problems: [expect.stringContaining('gh.md:4: strategy')],
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
