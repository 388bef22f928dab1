import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Verdict, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { hasChromium } from '../http/chromium.ts';
import { botToken, startTelegram, type TelegramServer } from '../notify/telegram-server.ts';
import { startDashboard, type TriedDashboard } from './start-dashboard.ts';

const waiting = { timeout: 60_000, interval: 50 } as const;
const admin = 11;

let server: TelegramServer;
let folder: string;
let tried: TriedDashboard;
beforeAll(async () => {
  if (!hasChromium) return;
  server = await startTelegram();
  folder = await mkdtemp(join(tmpdir(), 'clawrden-chat-'));
  const file = join(folder, 'token');
  await writeFile(file, `${botToken}\n`, { mode: 0o600 });
  const telegram = { token: { file }, api: server.url, chats: [{ name: 'ops', chat: server.chat }] };
  tried = await startDashboard({
    policy: '  - { name: by-chat, tools: [run], args: [chat, "**"], action: ask, answer-in: [chat] }\n',
    keys: { notify: { telegram } },
  });
  const link = { name: 'admin', principal: `telegram:${admin}`, reason: '' };
  await tried.admin.call(WardenServiceService.linkUser, link);
}, 300_000);
afterAll(async () => {
  await tried?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

test.skipIf(!hasChromium)(
  'A-240: what only a chat may answer has no button in the page and no other door; a press in the chat lets it run, and the page says who',
  async () => {
    const { command, ended } = await tried.ask({ tool: 'run', args: ['chat', 'now'] });
    const page = await tried.open('/waiting');
    const question = page.getByRole('article', { name: 'Question' });
    await question.getByText('Its rule lets only chat answer it.').waitFor();
    expect(await question.getByRole('button', { name: /Approve|Deny/ }).count()).toBe(0);
    for (const via of ['cli', 'http', 'chat'])
      for (const verdict of [Verdict.APPROVE, Verdict.DENY])
        await expect(
          tried.admin.call(WardenServiceService.resolveApproval, {
            ...{ id: command.approvalId, planHash: command.planHash, verdict, via },
            ...{ reason: '', grantSeconds: 0 },
          }),
        ).rejects.toMatchObject({ details: expect.stringMatching(/^verdict-door: .* is answered by chat/) });
    const shown = () => server.messages.findLast(({ text }) => text.includes(`/a/${command.approvalId}`));
    await expect.poll(shown, waiting).toBeDefined();
    const message = shown()!;
    const { callback_data: data = '' } = message.buttons.find(({ text }) => text === 'Approve') ?? {};
    const press = server.press({ user: admin, message, data });
    await expect
      .poll(() => server.replies.find(({ id }) => id === press)?.text, waiting)
      .toMatch(/^Approved/);
    await ended;
    expect(command).toMatchObject({ starts: 1, outcome: { code: 7 } });
    await question.getByText(/approved by (you|person:admin)/).waitFor();
    expect(tried.complaints).toEqual([]);
  },
);

test.skipIf(!hasChromium)(
  'a chat that takes each call and answers none delays no question and no verdict of the page',
  async () => {
    server.hangs = true;
    const before = server.calls.length;
    const isCalled = () => server.calls.slice(before).some(({ method }) => method === 'sendMessage');
    const { command, ended } = await tried.ask({ args: ['slow', 'chat'] });
    await expect.poll(isCalled, waiting).toBe(true);
    const page = await tried.open('/waiting');
    const question = page.getByRole('article', { name: 'Question' });
    await question.getByText('"slow"', { exact: true }).waitFor();
    await question.getByRole('button', { name: 'Approve', exact: true }).click();
    await ended;
    expect(command).toMatchObject({ starts: 1, outcome: { code: 7 } });
    await question.getByText('approved by you').waitFor();
    // Its first call is still open: what was decided waited for nobody.
    expect([server.hangs, server.messages.some(({ text }) => text.includes(command.approvalId))]).toEqual([
      true,
      false,
    ]);
    server.hangs = false;
    server.cut();
  },
);
