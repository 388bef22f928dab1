import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { callSlack } from '../../src/chats/slack-api.ts';
import { callTelegram } from '../../src/chats/telegram-api.ts';
import { checkSlack } from '../../src/cli/set-up/doctor/check-slack.ts';
import { checkTelegram } from '../../src/cli/set-up/doctor/check-telegram.ts';
import { newsGroups } from '../../src/config/notify-config.ts';
import { slackAppToken, slackBotToken, startSlack } from './slack-server.ts';
import { botToken, startTelegram } from './telegram-server.ts';

const rest = { tells: newsGroups, agents: {} };
const never = new AbortController().signal;

function secret(name: string, value: string): { readonly env: string } {
  process.env[name] = value;
  return { env: name };
}

const telegram = (api: string, token = botToken) => ({ api, token: secret('CHAT_TOKEN', token), chats: [] });
const slack = (api: string, app = slackAppToken, bot = slackBotToken) => ({
  ...{
    api,
    private: false,
    appToken: secret('CHAT_APP', app),
    botToken: secret('CHAT_BOT', bot),
    channels: [],
  },
});

test('doctor asks Telegram for the bot and each chat, and sends nothing', async () => {
  await using server = await startTelegram();
  const chats = [
    { name: 'ops', chat: server.chat, ...rest },
    { name: 'gone', chat: 5, ...rest },
  ];
  const found = await checkTelegram({ ...telegram(server.url), chats });
  expect(found.map(({ check, level }) => `${check} ${level}`)).toEqual([
    ...['telegram ok', 'telegram ops ok', 'telegram gone error'],
  ]);
  expect(found.at(-1)?.text).toContain('chat not found');
  expect(server.messages).toEqual([]);
  const wrong = await checkTelegram(telegram(server.url, `987654321:${'x'.repeat(35)}`));
  expect(wrong).toMatchObject([{ level: 'error', text: expect.stringContaining('401 Unauthorized') }]);
});

test('doctor asks Slack about both tokens and each channel, and sends nothing', async () => {
  await using server = await startSlack();
  const channels = [
    { name: 'ops', channel: server.channel, ...rest },
    { name: 'gone', channel: 'C0000000000', ...rest },
  ];
  const found = await checkSlack({ ...slack(server.url), channels });
  expect(found.map(({ check, level }) => `${check} ${level}`)).toEqual([
    ...['slack app-token ok', 'slack ok', 'slack ops ok', 'slack gone error'],
  ]);
  expect([server.messages, server.open()]).toEqual([[], 0]);
  server.refuse('conversations.info', { error: 'missing_scope' });
  const unseen = await checkSlack({ ...slack(server.url), channels: channels.slice(0, 1) });
  expect(unseen.at(-1)).toMatchObject({ level: 'warning' });
  const wrong = await checkSlack(slack(server.url, slackAppToken, `${slackBotToken}x`));
  expect(wrong.at(-1)).toMatchObject({ level: 'error', text: 'auth.test: invalid_auth' });
});

test.each([
  ['a token of another form', () => checkTelegram(telegram('http://127.0.0.1:9', 'secret/../words'))],
  [
    'tokens in each other\u2019s place',
    () => checkSlack(slack('http://127.0.0.1:9', slackBotToken, slackAppToken)),
  ],
  ['nobody there', () => checkTelegram(telegram('http://127.0.0.1:9'))],
])('%s: doctor says so without the token', async (_name, check) => {
  const found = await check();
  expect(found.at(-1)?.level).toBe('error');
  expect(JSON.stringify(found)).not.toMatch(/words|xapp-1-A|xoxb-12|Aa0_/);
});

test.each([
  ['a redirect', 302, { location: 'http://127.0.0.1:9/' }, '', 'redirects (302)'],
  ['what is not JSON', 200, {}, '<html>', 'not as'],
  ['an answer of 3 MiB', 200, {}, 'x'.repeat(3 * 1024 ** 2), 'more than 2097152 bytes'],
  ['an error that says the token', 401, {}, '', '[the token]'],
] as const)('%s is no answer, and the token is not told', async (_name, status, headers, body, why) => {
  const server = createServer(({ url, headers: sent }, response) => {
    const description = `of ${url} and ${sent.authorization}\n`;
    const refusal = JSON.stringify({ ok: false, error_code: 401, error: description, description });
    response.writeHead(status, headers).end(status === 401 ? refusal : body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers = [
    await callTelegram({ api, token: botToken }, ['getMe', {}], z.unknown(), { signal: never }),
    await callSlack({ api, token: slackBotToken }, ['auth.test', {}], z.unknown(), never),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject({ why: expect.stringContaining(why) });
    expect(JSON.stringify(answer)).not.toMatch(/Aa0_|xoxb-12/);
  }
  server.closeAllConnections();
  server.close();
});

test('a service that takes a call and does not answer is left after its time', async () => {
  await using server = await startTelegram();
  server.hangs = true;
  const answer = await callTelegram({ api: server.url, token: botToken }, ['getMe', {}], z.unknown(), {
    signal: never,
    withinMs: 200,
  });
  expect(answer).toEqual({ why: 'it did not answer within 0.2 s' });
});
