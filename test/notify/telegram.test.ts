import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mirrored } from '../warden/mirrored.ts';
import { type ChatSite, waiting } from './chat-site.ts';
import { botToken, type TelegramMessage, type TelegramServer } from './telegram-server.ts';
import { startTelegramSite, type TelegramSite, users } from './telegram-site.ts';

let started: TelegramSite;
let server: TelegramServer;
let site: ChatSite;

beforeAll(async () => {
  started = await startTelegramSite();
  ({ server, site } = started);
}, 300_000);

afterAll(async () => await started?.[Symbol.asyncDispose]());

const idOf = ({ approvalId }: Mirrored) => approvalId;

/** The message that shows this question: it has its link, or buttons of it. */
async function shown(command: Mirrored): Promise<TelegramMessage> {
  const find = () => server.messages.findLast(({ text }) => text.includes(`/a/${idOf(command)}`));
  await expect.poll(find, waiting).toBeDefined();
  return find() as TelegramMessage;
}

const labels = ({ buttons }: TelegramMessage) => buttons.map(({ text }) => text);
const data = ({ buttons }: TelegramMessage, label: string) =>
  buttons.find(({ text }) => text === label)?.callback_data ?? '';

async function press(user: number, message: TelegramMessage, button: string, times = 1): Promise<string> {
  const id = server.press({ user, message, data: button, times });
  await expect.poll(() => server.replies.find((reply) => reply.id === id), waiting).toBeDefined();
  return server.replies.find((reply) => reply.id === id)?.text ?? '';
}

test('A-47 A-48 A-67: a question by the usual doors has a link and no buttons; hostile words stand in it as text; it says how it ended', async () => {
  const args = [
    'a\nApprove: yes',
    '\u202Egnp.exe',
    '\u200b',
    '</pre>*b*<script>',
    '@channel',
    'https://evil.example/x',
  ];
  const { command, ended } = await site.ask({ tool: 'touch', args });
  const message = await shown(command);
  expect(labels(message)).toEqual([]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
  expect(message.text).toMatch(/^[\x20-\x7e\n]+$/);
  // What an agent wrote stands in parts in which Telegram looks for nothing.
  const outside = message.entities
    .filter(({ type }) => type === 'pre')
    .toReversed()
    .reduce((text, { offset, length }) => text.slice(0, offset) + text.slice(offset + length), message.text);
  for (const word of ['evil.example', '@channel', 'script', 'gnp.exe']) {
    expect(message.text).toContain(word);
    expect(outside).not.toContain(word);
  }
  expect(message.text).toContain(String.raw`"a\nApprove: yes"`);
  await site.deny(command, '<b>no</b> @all');
  await ended;
  await expect
    .poll(() => message.text, waiting)
    .toMatch(/^Denied by person:admin \(cli\): a command of coder\n/);
  expect(message.text).not.toContain('/a/');
  expect(message.entities.at(1)?.type).toBe('pre');
}, 300_000);

test('A-141: only who is linked, in force, of the role and scope answers; pressed twice, by two people, or sent twice it counts once', async () => {
  const { command, ended } = await site.ask({ tool: 'ask', args: ['one'] });
  const message = await shown(command);
  expect(labels(message)).toEqual(['Approve', 'Deny']);
  const [approve, deny] = [data(message, 'Approve'), data(message, 'Deny')];
  expect(await press(users.nobody, message, approve)).toMatch(/^You are not linked, so nothing was decided/);
  expect(await press(users.vera, message, deny)).toMatch(
    /^Nothing was decided: this needs the role approver/,
  );
  expect(await press(users.olga, message, deny)).toMatch(/no such question, or it is not of your agents/);
  expect(await press(users.alice, message, 'approve')).toBe('This is no button of this gateway.');
  const other = `${approve.slice(0, -1)}${approve.endsWith('A') ? 'B' : 'A'}`;
  expect(await press(users.alice, message, other)).toMatch(
    /^Nothing was decided: this chat shows no such button/,
  );
  // In a chat that gateway.yaml does not have, nobody is answered.
  server.press({ user: users.alice, message: { ...message, chat: 5 }, data: approve });
  expect(command.starts).toBe(0);

  expect(await press(users.alice, message, approve, 3)).toBe('Approved: it runs once.');
  expect(await press(users.alice, message, approve)).toBe(
    'It was approved before, by person:alice (telegram).',
  );
  expect(await press(users.admin, message, deny)).toBe('It was approved before, by person:alice (telegram).');
  await ended;
  expect(command).toMatchObject({ starts: 1, outcome: { code: 7 } });
  await expect.poll(() => message.text, waiting).toMatch(/^Approved by person:alice \(telegram\)/);
  expect([labels(message), message.edits]).toEqual([[], 1]);
}, 300_000);

test('a second person is needed: the first yes counts and says so, and the message names who gave it', async () => {
  const { command, ended } = await site.ask({ tool: 'ask', args: ['two', 'x'] });
  const message = await shown(command);
  const approve = data(message, 'Approve');
  expect(await press(users.alice, message, approve)).toBe(
    'Your yes counts. 1 more person has to approve it.',
  );
  expect(await press(users.alice, message, approve)).toBe(
    'Your yes counts. 1 more person has to approve it.',
  );
  expect(command.starts).toBe(0);
  // The next reader sees that one more is needed.
  await expect.poll(() => message.text, waiting).toContain('\nYes so far: person:alice.\n');
  expect([labels(message), data(message, 'Approve'), message.edits]).toEqual([
    ['Approve', 'Deny'],
    approve,
    1,
  ]);
  expect(await press(users.admin, message, approve)).toBe('Approved: it runs once.');
  await ended;
  expect(command.starts).toBe(1);
}, 300_000);

test('A-48: what is not there whole is not approved there', async () => {
  const long = await site.ask({ tool: 'ask', args: [`${' '.repeat(4000)}; rm -rf /app`, ...many(300)] });
  const masked = await site.ask({ tool: 'ask', args: ['--token', 'hunter2hunter2'] });
  const [first, second] = [await shown(long.command), await shown(masked.command)];
  expect([labels(first), labels(second)]).toEqual([['Deny'], ['Deny']]);
  expect(first.text).toMatch(/\[\.\.\. \d+ more characters\]/);
  expect(second.text).not.toContain('hunter2');
  expect(await press(users.alice, first, data(first, 'Deny'))).toBe('Denied: it does not run.');
  expect(await press(users.alice, second, data(second, 'Deny'))).toBe('Denied: it does not run.');
  await Promise.all([long.ended, masked.ended]);
}, 300_000);

test('a question that expires says so, and an answer that comes later counts for nothing', async () => {
  await site.put((policy) => policy.replace('expires: 10m', 'expires: 4s'));
  const { command, ended } = await site.ask({ tool: 'ask', args: ['late'] });
  const message = await shown(command);
  const approve = data(message, 'Approve');
  await ended;
  await expect.poll(() => message.text, waiting).toMatch(/^Expired, nobody answered: a command of coder/);
  expect(await press(users.alice, message, approve)).toBe('Nothing was decided: the question has expired.');
  expect(command.starts).toBe(0);
  await site.put((policy) => policy);
}, 300_000);

test('A-349: a burst is gathered, but for what only a chat answers, and the limits of the service are kept; what waits outlives a kill; a message that is gone holds nothing up', async () => {
  const alone = await site.ask({ tool: 'touch', args: ['alone'] });
  const single = await shown(alone.command);
  const before = server.messages.length;
  const at = server.calls.length;
  const retryAfter = 2;
  const parameters = { retry_after: retryAfter };
  server.refuse('sendMessage', { error_code: 429, description: 'Too Many Requests', parameters });
  server.refuse('getUpdates', { error_code: 502, description: 'Bad Gateway' });
  server.cut();
  const asked: Awaited<ReturnType<ChatSite['ask']>>[] = [];
  for (const name of many(11)) asked.push(await site.ask({ tool: 'touch', args: [name] }));
  const only = await site.ask({ tool: 'ask', args: ['only'] });
  for (const { command } of asked) await shown(command);
  const message = await shown(only.command);
  expect(labels(message)).toEqual(['Approve', 'Deny']);
  expect(await press(users.alice, message, data(message, 'Deny'))).toMatch(/^Denied/);
  await only.ended;
  const posted = server.calls.slice(at).filter(({ method }) => method === 'sendMessage');
  expect(server.messages.length - before).toBeLessThan(7);
  expect((posted[1]?.at ?? 0) - (posted[0]?.at ?? 0)).toBeGreaterThan(retryAfter * 1000 - 50);
  const gaps = posted.slice(2).map((call, index) => call.at - (posted[index + 1]?.at ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(1_000);

  const gathered = server.messages.findLast(({ text }) => text.includes('commands wait')) as TelegramMessage;
  expect(labels(gathered)).toEqual([]);
  server.hangs = true;
  // Nobody waits for the chat.
  for (const { command, ended } of [alone, ...asked]) {
    await site.deny(command);
    await ended;
  }
  single.gone = true;
  await site.restart('SIGKILL');
  server.hangs = false;
  server.cut();
  await expect.poll(() => gathered.text, waiting).toMatch(/^0 of \d+ commands wait for an answer/);
  const { command, ended } = await site.ask({ tool: 'touch' });
  await shown(command);
  await site.deny(command);
  await ended;
  const { stdout } = await site.gateway.cli('status', '--json');
  expect(stdout).not.toContain('not told');
}, 300_000);

test('A-185 A-383 P19: pause and kill are orders of a linked operator that who wrote it confirms; nobody else stops anything', async () => {
  const state = async () => {
    const { stdout } = await site.gateway.cli('agents', '--json');
    const agents = JSON.parse(stdout) as { name: string; paused: boolean; killed: boolean }[];
    const coder = agents.find(({ name }) => name === 'coder');
    return coder?.killed === true ? 'killed' : coder?.paused === true ? 'paused' : 'active';
  };
  const before = server.messages.length;
  let read = before;
  // Answers are sent side by side: the next one may overtake an answer that nobody waits for.
  const told = async (text: RegExp) => {
    const answer = () => server.messages.slice(read).find((message) => text.test(message.text));
    await expect
      .poll(() => answer() ?? server.messages.slice(read), waiting)
      .toMatchObject({ id: expect.any(Number) });
    const message = answer() as TelegramMessage;
    read = server.messages.indexOf(message) + 1;
    return message;
  };
  // Strangers, other words, other chats, and what was written long before get no answer.
  server.write(users.nobody, '/pause coder');
  server.write(users.admin, 'pausecoder');
  server.write(users.admin, 'do not /kill coder');
  server.write(users.admin, '/kill coder old', 120_000);
  server.write(users.admin, '/kill coder', 0, 5);
  server.write(users.vera, '/pause coder');
  await told(/^Nothing was done: this needs the role operator/);
  expect(server.messages.length).toBe(before + 1);
  server.write(users.alice, '/pause coder');
  await told(/^Nothing was done: this needs the role operator/);
  server.write(users.admin, '/pause');
  await told(/^Write: \/pause AGENT REASON/);
  server.write(users.admin, '/pause nobody');
  await told(/^Nothing was done: there is no such agent/);

  const { command, ended } = await site.ask({ tool: 'ask', args: ['waits'] });
  await shown(command);
  server.write(users.admin, '/pause@clawrden_bot coder it *loops* @all');
  const message = await told(/^Pause coder\?\nperson:admin wants this\. .*Questions that are void: 1\./);
  expect([labels(message), await state()]).toEqual([['Confirm'], 'active']);
  const confirm = data(message, 'Confirm');
  expect(await press(users.alice, message, confirm)).toMatch(/^Nothing was done: who wrote it confirms it/);
  expect(await press(users.admin, message, `h${'A'.repeat(40)}`)).toMatch(
    /^Nothing was done: this order is over/,
  );
  expect(await state()).toBe('active');
  expect(await press(users.admin, message, confirm)).toMatch(/^coder is paused: 1 command ended/);
  await ended;
  expect([await state(), command.starts]).toEqual(['paused', 0]);
  await expect
    .poll(() => message.text, waiting)
    .toMatch(/^coder is paused: 1 command ended.*\n"it \*loops\* @all"$/);
  expect([labels(message), message.entities.at(-1)?.type]).toEqual([[], 'pre']);
  expect(await press(users.admin, message, confirm)).toMatch(/^Nothing was done: this order is over/);
  expect(readFileSync(site.gateway.audit, 'utf8')).toContain('"it *loops* @all (by telegram)"');

  server.write(users.admin, 'KILL coder');
  const second = await told(/^Kill coder\?/);
  expect(await press(users.admin, second, data(second, 'Confirm'))).toMatch(/^coder is killed/);
  expect(await state()).toBe('killed');
  // a chat makes nothing less strict.
  server.write(users.admin, '/pause coder');
  const third = await told(/^Pause coder\?/);
  expect(await press(users.admin, third, data(third, 'Confirm'))).toMatch(
    /^coder: nothing has changed: coder is killed/,
  );
  expect(await state()).toBe('killed');
  await site.gateway.cli('resume', 'coder');
}, 300_000);

test('a lockdown and its reason are told; no credential is in the log or in what doctor says', async () => {
  await site.gateway.cli('lockdown', 'on', '--reason', '*now* https://evil.example');
  await expect
    .poll(() => server.messages.at(-1)?.text, waiting)
    .toContain('Lockdown: every agent is stopped');
  expect(server.messages.at(-1)?.entities.map(({ type }) => type)).toContain('pre');
  const { stdout } = await site.gateway.cli('doctor', '--config', site.gateway.config, '--json');
  expect(stdout).toContain('the bot is in the chat');
  expect(`${stdout}${readFileSync(site.gateway.log, 'utf8')}`).not.toContain(botToken.split(':')[1]);
}, 300_000);

function many(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `argument-${index}`);
}
