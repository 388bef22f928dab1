import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mirrored } from '../warden/mirrored.ts';
import { type ChatSite, startChatSite, waiting } from './chat-site.ts';
import {
  type SlackMessage,
  type SlackServer,
  slackAppToken,
  slackBotToken,
  startSlack,
} from './slack-server.ts';

let server: SlackServer;
let site: ChatSite;

beforeAll(async () => {
  server = await startSlack();
  process.env['SLACK_TEST_APP'] = slackAppToken;
  process.env['SLACK_TEST_BOT'] = slackBotToken;
  const tokens = { 'app-token': { env: 'SLACK_TEST_APP' }, 'bot-token': { env: 'SLACK_TEST_BOT' } };
  const channels = [{ name: 'ops', channel: server.channel }];
  site = await startChatSite(
    { slack: { ...tokens, api: server.url, channels } },
    {
      admin: 'slack:T0TEAM/UADMIN',
      alice: 'slack:T0TEAM/UALICE',
      vera: 'slack:T0TEAM/UVERA',
      olga: 'slack:T0TEAM/UOLGA',
    },
  );
}, 300_000);

afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const textOf = ({ blocks }: SlackMessage) => JSON.stringify(blocks);

async function shown({ approvalId }: Mirrored): Promise<SlackMessage> {
  const find = () => server.messages.findLast((message) => textOf(message).includes(`/a/${approvalId}`));
  await expect.poll(find, waiting).toBeDefined();
  return find() as SlackMessage;
}

interface SlackButton {
  readonly action_id: string;
  readonly value: string;
}

function buttons({ blocks }: SlackMessage): readonly SlackButton[] {
  const actions = blocks.find(({ type }) => type === 'actions') as { elements: SlackButton[] } | undefined;
  return actions?.elements ?? [];
}

const valueOf = (message: SlackMessage, id: string) =>
  buttons(message).find(({ action_id: action }) => action === id)?.value ?? '';

/** What who pressed is told, each time. */
async function press(user: string, message: SlackMessage, value: string, times = 1): Promise<string[]> {
  const before = server.replies.length;
  await expect.poll(server.open, waiting).toBeGreaterThan(0);
  const id = server.press({ user, message, value, times });
  await expect.poll(() => server.replies.length, waiting).toBe(before + times);
  // Slack takes an app for broken after 3 s.
  expect(server.acknowledged.get(id)).toBeLessThan(3_000);
  return server.replies.slice(before).map(({ text }) => text);
}

test('A-47 A-67: hostile words are texts in which Slack reads nothing, and no buttons stand at a question of the usual doors', async () => {
  const args = [
    '<!channel>',
    '*b* _i_ `c`',
    '<https://evil.example|safe>',
    ':skull:',
    '\u202Egnp.exe',
    'a\n> quote & more',
  ];
  const { command, ended } = await site.ask({ tool: 'touch', args });
  const message = await shown(command);
  expect(buttons(message)).toEqual([]);
  const [rich] = message.blocks as unknown as [
    { type: string; elements: { type: string; elements: object[] }[] },
  ];
  expect(rich.type).toBe('rich_text');
  const hostile = /evil\.example|channel|skull|gnp\.exe|quote/;
  for (const part of rich.elements) {
    const elements = part.elements as { type: string; text: string; url?: string }[];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    for (const { text } of elements) expect(text).toMatch(/^[\x20-\x7e\n]+$/);
    const isHostile = elements.some(({ text, url = '' }) => hostile.test(`${text}${url}`));
    if (isHostile)
      expect([part.type, ...elements.map(({ type }) => type)]).toEqual(['rich_text_preformatted', 'text']);
  }
  expect(message.text).toBe('A command of coder waits for an answer');
  expect(textOf(message)).toContain(String.raw`a\\n> quote & more`);
  await site.deny(command, '<!channel> no');
  await ended;
  await expect.poll(() => message.text, waiting).toBe('Denied by person:admin (cli): a command of coder');
  expect(message.edits).toBe(1);
}, 120_000);

test('A-141: who is not linked, of another team, role or scope decides nothing; an envelope that comes twice counts once', async () => {
  const { command, ended } = await site.ask({ tool: 'ask', args: ['one'] });
  const message = await shown(command);
  const approve = valueOf(message, 'approve');
  expect(await press('UNOBODY', message, approve)).toEqual([expect.stringMatching(/^You are not linked/)]);
  expect(await press('UVERA', message, approve)).toEqual([expect.stringMatching(/needs the role approver/)]);
  expect(await press('UOLGA', message, approve)).toEqual([expect.stringMatching(/not of your agents/)]);
  server.press({ team: 'T0OTHER', user: 'UALICE', message, value: approve });
  server.press({ user: 'UALICE', message: { ...message, channel: 'C9999999999' }, value: approve });
  await expect.poll(() => server.replies.at(-1)?.text, waiting).toMatch(/--slack T0OTHER\/UALICE$/);
  expect(command.starts).toBe(0);
  const said = await press('UALICE', message, approve, 2);
  expect(said.toSorted()).toEqual([
    'Approved: it runs once.',
    'It was approved before, by person:alice (slack).',
  ]);
  expect(await press('UADMIN', message, valueOf(message, 'deny'))).toEqual([
    'It was approved before, by person:alice (slack).',
  ]);
  await ended;
  expect(command.starts).toBe(1);
  await expect.poll(() => message.text, waiting).toMatch(/^Approved by person:alice \(slack\)/);
  expect(buttons(message)).toEqual([]);
}, 120_000);

test('A-185 P19: /clawrden pause is an order of a linked operator, who confirms it; anything else behind it says what may stand there', async () => {
  const latest = () => server.messages.at(-1) as SlackMessage;
  const told = async (what: RegExp) => {
    await expect.poll(() => latest()?.text, waiting).toMatch(what);
    return latest();
  };
  server.write('UNOBODY', 'pause coder');
  server.write('UALICE', 'pause coder');
  await told(/^Nothing was done: this needs the role operator/);
  server.write('UADMIN', 'stop everything');
  await told(/^Write: \/pause AGENT REASON/);
  server.write('UADMIN', 'pause coder <!channel> loops');
  const message = await told(/^Pause coder\?/);
  const confirm = valueOf(message, 'confirm');
  expect(await press('UALICE', message, confirm)).toEqual([
    expect.stringMatching(/^Nothing was done: who wrote/),
  ]);
  const said = await press('UADMIN', message, confirm, 2);
  expect(said.toSorted()).toEqual([
    expect.stringMatching(/^Nothing was done: this order is over/),
    expect.stringMatching(/^coder is paused: \d commands? ended/),
  ]);
  await expect.poll(() => message.text, waiting).toMatch(/^coder is paused: \d commands? ended/);
  expect(buttons(message)).toEqual([]);
  await site.gateway.cli('resume', 'coder');
}, 120_000);

test('the connection is made again after a refresh, too many of them, a cut and a refused opening; limits are kept; a message that is gone holds nothing up', async () => {
  const opened = () => server.calls.filter(({ method }) => method === 'apps.connections.open').length;
  for (const end of [
    () => server.disconnect('refresh_requested'),
    () => server.disconnect('too_many_websockets'),
    server.cut,
  ]) {
    const before = opened();
    server.refuse('apps.connections.open', { retryAfter: 1 }, { error: 'internal_error' });
    await expect.poll(server.open, waiting).toBeGreaterThan(0);
    end();
    await expect.poll(opened, waiting).toBeGreaterThan(before + 2);
  }
  await expect.poll(server.open, waiting).toBe(1);
  const at = server.calls.length;
  server.refuse('chat.postMessage', { retryAfter: 2 });
  const gone = await site.ask({ tool: 'ask', args: ['gone'] });
  const message = await shown(gone.command);
  const posts = server.calls.slice(at).filter(({ method }) => method === 'chat.postMessage');
  expect((posts[1]?.at ?? 0) - (posts[0]?.at ?? 0)).toBeGreaterThan(1_950);
  message.gone = true;
  expect(await press('UALICE', message, valueOf(message, 'deny'))).toEqual(['Denied: it does not run.']);
  await gone.ended;
  const next = await site.ask({ tool: 'touch' });
  await shown(next.command);
  await site.deny(next.command);
  await next.ended;
  const { stdout } = await site.gateway.cli('status', '--json');
  expect(stdout).not.toContain('not told');
  expect(readFileSync(site.gateway.log, 'utf8')).not.toMatch(/xapp-1|xoxb-1|ticket=/);
}, 120_000);
