import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import type { First, Mirrored } from '../warden/mirrored.ts';
import { type ChatSite, startChatSite, waiting } from './chat-site.ts';
import { type SlackServer, slackAppToken, slackBotToken, startSlack } from './slack-server.ts';
import { botToken, startTelegram, type TelegramServer } from './telegram-server.ts';

let telegram: TelegramServer;
let slack: SlackServer;
let site: ChatSite;

/** The channel of Slack is told of every agent, and the chat of Telegram of `coder` only. */
beforeAll(async () => {
  [telegram, slack] = [await startTelegram(), await startSlack()];
  process.env['BUTTON_TEST_BOT'] = botToken;
  process.env['BUTTON_TEST_SLACK'] = slackBotToken;
  process.env['BUTTON_TEST_APP'] = slackAppToken;
  const chats = [{ name: 'web', chat: telegram.chat, agents: { team: 'web' } }];
  const channels = [{ name: 'all', channel: slack.channel }];
  const tokens = { 'app-token': { env: 'BUTTON_TEST_APP' }, 'bot-token': { env: 'BUTTON_TEST_SLACK' } };
  site = await startChatSite(
    {
      telegram: { token: { env: 'BUTTON_TEST_BOT' }, api: telegram.url, chats },
      slack: { ...tokens, api: slack.url, channels },
    },
    { alice: 'telegram:12' },
  );
  const admin = await site.gateway.admin();
  await admin.call(WardenServiceService.linkUser, {
    name: 'alice',
    principal: 'slack:T0TEAM/UALICE',
    reason: '',
  });
  admin.close();
}, 300_000);

afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  await Promise.all([telegram, slack].map((server) => server?.[Symbol.asyncDispose]()));
});

/** A chat of a service, as alice uses it. */
interface Chat {
  /** What the buttons of this question's message carry; undefined if there is no such message. */
  readonly buttons: (approval: string) => readonly string[] | undefined;
  /** Resolves with what she is told. */
  readonly press: (data: string) => Promise<string>;
}

const inTelegram: Chat = {
  buttons: (approval) =>
    telegram.messages
      .find(({ text }) => text.includes(`/a/${approval}`))
      ?.buttons.map(({ callback_data: data }) => data),
  press: async (data) => {
    const [message] = telegram.messages;
    if (message === undefined) throw new Error('nothing was posted');
    const id = telegram.press({ user: 12, message, data });
    const reply = () => telegram.replies.find((each) => each.id === id)?.text;
    await expect.poll(reply, waiting).toBeDefined();
    return reply() ?? '';
  },
};

const inSlack: Chat = {
  buttons: (approval) => {
    const message = slack.messages.find(({ blocks }) => JSON.stringify(blocks).includes(`/a/${approval}`));
    const actions = message?.blocks.find(({ type }) => type === 'actions');
    return message && ((actions?.['elements'] ?? []) as { value: string }[]).map(({ value }) => value);
  },
  press: async (value) => {
    const [message] = slack.messages;
    if (message === undefined) throw new Error('nothing was posted');
    const before = slack.replies.length;
    await expect.poll(slack.open, waiting).toBeGreaterThan(0);
    slack.press({ user: 'UALICE', message, value });
    await expect.poll(() => slack.replies.length, waiting).toBe(before + 1);
    return slack.replies.at(-1)?.text ?? '';
  },
};

interface Asked {
  readonly command: Mirrored;
  readonly ended: Promise<void>;
}

async function ask(first: First, chats: readonly Chat[]): Promise<Asked> {
  const asked = await site.ask(first);
  for (const { buttons } of chats)
    await expect.poll(() => buttons(asked.command.approvalId), waiting).toBeDefined();
  return asked;
}

const verbs = ['a', 'd'];
/** Answer, approval, code. */
const partsOf = (data: string) => [data.slice(0, 1), data.slice(1, 23), data.slice(23)] as const;
const packed = (hex: string) => Buffer.from(hex, 'hex').toString('base64url');

/** Each question × each verb × what may be tried as its code: all that any chat shows of it, its hash, another's. */
function forged(asked: readonly Asked[]): string[] {
  const shown = asked.flatMap(({ command: { approvalId } }) =>
    [inTelegram, inSlack].flatMap(({ buttons }) => buttons(approvalId) ?? []),
  );
  return asked.flatMap(({ command: { approvalId, planHash } }, at) => {
    const id = packed(approvalId);
    const own = shown.filter((data) => partsOf(data)[1] === id);
    const other = shown[at % shown.length] ?? '';
    const codes = [...own, other].map((data) => partsOf(data)[2]);
    const tried = [...codes, packed(planHash.slice(0, 60)), randomBytes(30).toString('base64url')];
    return verbs.flatMap((verb) => tried.map((code) => `${verb}${id}${code}`));
  });
}

test('A-170: of every question, masked, long, of another agent or of another chat, a verb counts only if this chat offered it', async () => {
  const both = [inTelegram, inSlack];
  const other = await ask({ tool: 'ask', agent: 'other', args: ['of another agent'] }, [inSlack]);
  const usual = await ask({ tool: 'touch', args: ['at the usual doors'] }, both);
  const masked = await ask({ tool: 'ask', args: ['--token', 'hunter2hunter2'] }, both);
  const long = await ask(
    { tool: 'ask', args: Array.from({ length: 300 }, (_, at) => `argument-${at}`) },
    both,
  );
  const plain = await ask({ tool: 'ask', args: ['plain'] }, both);
  const asked = [other, usual, masked, long, plain];
  const offered = ({ buttons }: Chat) =>
    asked.map(({ command: { approvalId } }) => buttons(approvalId)?.map((data) => partsOf(data)[0]));
  expect(offered(inTelegram)).toEqual([undefined, [], ['d'], ['d'], ['a', 'd']]);
  expect(offered(inSlack)).toEqual([['a', 'd'], [], ['d'], ['d'], ['a', 'd']]);

  const tries = [...new Set(forged(asked))];
  for (const { buttons, press } of both) {
    const own = asked.flatMap(({ command: { approvalId } }) => buttons(approvalId) ?? []);
    for (const data of tries.filter((each) => !own.includes(each)))
      expect([data, await press(data)]).toEqual([
        data,
        expect.stringMatching(/^Nothing was decided: this chat shows no such button/),
      ]);
  }
  for (const { command } of asked) expect(command).toMatchObject({ starts: 0, outcome: undefined });

  const pressOwn = async ({ buttons, press }: Chat, { command }: Asked, verb: string) =>
    await press(buttons(command.approvalId)?.find((data) => data.startsWith(verb)) ?? '');
  expect(await pressOwn(inSlack, other, 'a')).toBe('Approved: it runs once.');
  expect(await pressOwn(inTelegram, masked, 'd')).toBe('Denied: it does not run.');
  expect(await pressOwn(inSlack, long, 'd')).toBe('Denied: it does not run.');
  expect(await pressOwn(inTelegram, plain, 'a')).toBe('Approved: it runs once.');
  await site.deny(usual.command);
  await Promise.all(asked.map(({ ended }) => ended));
  expect(asked.map(({ command }) => command.starts)).toEqual([1, 0, 0, 0, 1]);
}, 300_000);
