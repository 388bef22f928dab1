import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { csrfHeader } from '../../src/http-api/paths.ts';
import { browserSession } from '../../src/http-api/session.ts';
import { sharedPolicy } from '../fixtures/shared-policy.ts';
import { newMirrored, play } from '../warden/mirrored.ts';
import { type RealGateway, startRealGateway } from '../warden/real-gateway.ts';
import { startReceiver } from './receiver.ts';

const secret = 'a secret of the test';
const waiting = { timeout: 60_000, interval: 50 } as const;
const doors = (answerIn: string) =>
  sharedPolicy().replace(
    '{ name: must-ask, tools: [ask, touch, sh], action: ask }',
    `{ name: must-ask, tools: [ask], action: ask, ${answerIn} }`,
  );

/** Answers over HTTP, as the admin's browser does. */
async function browser(gateway: RealGateway) {
  const admin = await gateway.admin();
  const { url, code } = await admin.call(WardenServiceService.createSignInCode, {});
  admin.close();
  const json = { origin: url, 'content-type': 'application/json' };
  const opened = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ code }),
  });
  const { csrfToken } = browserSession.parse(await opened.json());
  const cookie = opened.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  return async (id: string, planHash: string) => {
    const answer = await fetch(`${url}/api/v1/approvals/${id}/verdict`, {
      method: 'POST',
      headers: { ...json, cookie, [csrfHeader]: csrfToken },
      body: JSON.stringify({ planHash, verdict: 'approve' }),
    });
    return { status: answer.status, body: (await answer.json()) as { readonly code?: string } };
  };
}

test('A-141: a verdict counts only by a door that the rule names, whatever it calls itself; a policy that takes the door away before the start refuses it; nobody answers: reminded and escalated', {
  timeout: 300_000,
}, async () => {
  await using receiver = await startReceiver(secret);
  process.env['NOTIFY_TEST_SECRET'] = secret;
  const hook = { url: receiver.url, secret: { env: 'NOTIFY_TEST_SECRET' }, private: true };
  const webhooks = [
    { name: 'all', ...hook },
    { name: 'boss', ...hook, url: `${receiver.url}/boss`, tells: [] },
  ];
  await using gateway = await startRealGateway({ keys: { notify: { webhooks } } });
  const policyFile = join(gateway.state, 'policy.yaml');
  const put = async (answerIn: string) => {
    const before = (await gateway.cli('policy', 'show', '--json')).stdout;
    await writeFile(policyFile, doors(answerIn));
    await expect
      .poll(async () => (await gateway.cli('policy', 'show', '--json')).stdout, waiting)
      .not.toBe(before);
  };
  const relay = await gateway.relay();
  const admin = await gateway.admin();
  const ask = async () => {
    const command = newMirrored();
    const ended = play(relay, command, { tool: 'ask' }, gateway.audit);
    await expect.poll(() => command.approvalId || command.outcome?.reason, waiting).toBeTruthy();
    return { command, ended };
  };
  const overGrpc = ({ approvalId: id, planHash }: { approvalId: string; planHash: string }, via: string) =>
    admin.call(WardenServiceService.resolveApproval, {
      ...{ id, planHash, verdict: Verdict.APPROVE, reason: '', grantSeconds: 0, via },
    });
  const overHttp = await browser(gateway);

  await put('answer-in: [dashboard], remind: 1s, escalate: { after: 1s, to: boss }');
  const first = await ask();
  for (const via of ['cli', 'http', 'telegram', 'slack', 'http,http', 'x,http'])
    await expect(overGrpc(first.command, via)).rejects.toMatchObject({
      details: expect.stringMatching(/^verdict-door: .* is answered by dashboard/),
    });
  const paths = (event: string) =>
    receiver.received.filter((each) => each.event === event).map(({ path }) => path);
  await expect.poll(() => paths('question-escalated'), waiting).toEqual(['/hook/boss']);
  await expect.poll(() => paths('question-reminder').length, waiting).toBeGreaterThan(0);
  expect(new Set(paths('question-reminder'))).toEqual(new Set(['/hook']));
  expect(await overHttp(first.command.approvalId, first.command.planHash)).toMatchObject({ status: 200 });
  await first.ended;
  expect(first.command.starts).toBe(1);

  await put('answer-in: [cli]');
  const second = await ask();
  expect(await overHttp(second.command.approvalId, second.command.planHash)).toMatchObject({
    status: 403,
    body: { code: 'verdict-door' },
  });
  // The policy of the moment of the start counts, too.
  await put('answer-in: [dashboard]');
  await overGrpc(second.command, 'cli');
  await second.ended;
  expect(second.command).toMatchObject({ starts: 0, outcome: { reason: 'policy-changed' } });
  relay.close();
  admin.close();
});
