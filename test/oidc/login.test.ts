import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, ended, start as startCli } from '../cli/clawrden.ts';
import { allIfLong } from '../fixtures/sampled.ts';
import { botToken, startTelegram, type TelegramServer } from '../notify/telegram-server.ts';
import { newMirrored, play } from '../warden/mirrored.ts';
import { type RealGateway, startRealGateway } from '../warden/real-gateway.ts';
import { browse } from './browse.ts';
import { type Company, clientId, openCompany, secret } from './company.ts';

let company: Company;
let gateway: RealGateway;
let telegram: TelegramServer;
let secrets: string;

beforeAll(async () => {
  company = await openCompany(['http://127.0.0.1/callback']);
  process.env['TEST_OIDC_SECRET'] = secret;
  telegram = await startTelegram();
  secrets = await mkdtemp(join(tmpdir(), 'clawrden-login-'));
  await writeFile(join(secrets, 'token'), botToken, { mode: 0o600 });
  gateway = await startRealGateway({
    policy: `  - { name: both, tools: [ask], args: [both], action: ask, approvals: 2 }
  - { name: in-chat, tools: [run], args: [chat], action: ask, answer-in: [cli, chat] }
`,
    keys: {
      notify: {
        telegram: {
          ...{ token: { file: join(secrets, 'token') }, api: telegram.url },
          chats: [{ name: 'ops', chat: telegram.chat }],
        },
      },
      oidc: {
        ...{ issuer: company.issuer, 'client-id': clientId, 'client-secret': { env: 'TEST_OIDC_SECRET' } },
        groups: {
          sre: { role: 'operator' },
          looks: { role: 'viewer' },
          web: { role: 'operator', agents: { team: 'web' } },
        },
      },
    },
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await company[Symbol.asyncDispose]();
  await telegram[Symbol.asyncDispose]();
  await rm(secrets, { recursive: true });
});

const contextOf = (name: string) => join(dirname(gateway.state), `${name}.yaml`);
const asPerson = (name: string, ...args: string[]) =>
  ended(startCli(['--context', contextOf(name), ...args]));

/** Signs the person of that subject in, in a terminal; `meanwhile` is what the person does with the line on stderr. */
async function login(
  subject: string,
  more: readonly string[],
  meanwhile: (line: string) => Promise<unknown>,
): Promise<Ended> {
  company.atKeyboard = subject;
  const where = ['--url', gateway.httpUrl, '--context', contextOf(subject), '--json', '--no-open'];
  const child = startCli(['login', '--oidc', ...where, ...more]);
  let said = '';
  let isDone = false;
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (isDone || !said.includes('\n')) return;
    isDone = true;
    void meanwhile(said.slice(0, said.indexOf('\n'))).catch(
      (error: Error) => child.kill() && console.error(error),
    );
  });
  return await ended(child);
}

const byBrowser = async (line: string) => {
  const [url] = /http:\S+/.exec(line) ?? [];
  if (url !== undefined) await browse(url, () => false);
};

test('a person signs in by a browser, and may do what a group allows, until it allows no more', async () => {
  company.members.set('ann', { preferred_username: 'Ann', groups: ['sre', 'unknown'] });
  const { code, stdout, stderr } = await login('ann', [], byBrowser);
  expect(stderr).toContain('sign in with your browser');
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ person: 'ann' })]);
  expect(await asPerson('ann', 'hosts', '--json')).toMatchObject({ code: 0 });
  expect((await asPerson('ann', 'users', 'list')).stderr).toContain('admin');
  const folder = join(gateway.state, 'refresh-tokens');
  expect(await readdir(folder)).toEqual(['ann.token']);
  expect((await stat(join(folder, 'ann.token'))).mode & 0o777).toBe(0o600);
  const token = await readFile(join(folder, 'ann.token'), 'utf8');
  expect(await readFile(gateway.audit, 'utf8')).not.toContain(token);
  expect(await readFile(gateway.log, 'utf8')).not.toContain(token);

  // Groups that were read before a start are old.
  company.members.set('ann', { preferred_username: 'ann', groups: ['unknown'] });
  await gateway.end('SIGTERM');
  await gateway.start();
  const refused = await asPerson('ann', 'hosts');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('none of your groups may do anything here');
  company.members.set('ann', { preferred_username: 'ann', groups: ['looks'] });
  await gateway.end('SIGTERM');
  await gateway.start();
  await expect.poll(async () => (await asPerson('ann', 'hosts')).code).toBe(0);
  expect((await asPerson('ann', 'drain', 'x', '--reason', 'r')).stderr).toContain('operator');
});

test('a person signs in at another device', async () => {
  company.members.set('dev', { preferred_username: 'dev', groups: ['looks'] });
  const { code, stdout } = await login('dev', ['--device'], (line) => {
    const [, uri = '', userCode = ''] = /open (\S+) on any device, and type (\S+)/.exec(line) ?? [];
    return company.enterCode(uri, userCode);
  });
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ person: 'dev' })]);
  expect(await asPerson('dev', 'hosts')).toMatchObject({ code: 0 });
});

test('two groups are never added up', async () => {
  company.members.set('two', { preferred_username: 'two', groups: ['looks', 'web'] });
  expect(await login('two', [], byBrowser)).toMatchObject({ code: 0 });
  expect(await asPerson('two', 'hosts')).toMatchObject({ code: 0 });
  // An operator of some agents, and a viewer of all: no operator of all.
  expect((await asPerson('two', 'drain', 'x', '--reason', 'r')).stderr).toContain(
    'more than the agents of your scope',
  );
  // An admin sees what each group gives.
  const listed = await gateway.cli('users', 'list', '--json');
  const people = JSON.parse(listed.stdout) as { name: string }[];
  expect(people.find(({ name }) => name === 'two')).toMatchObject({
    ...{ name: 'two', role: '', setBy: 'provider' },
    provider: {
      ...{ subject: 'two', groups: ['looks', 'web'], refused: '' },
      rights: [
        { role: 'operator', scope: { team: 'web' } },
        { role: 'viewer', scope: {} },
      ],
    },
  });
  expect((await gateway.cli('users', 'list')).stdout).toMatch(/^two +operator \| viewer +team=web \| all /m);
});

const refused = [
  ['no group counts', { preferred_username: 'eve', groups: ['a', 'b'] }, 'the provider says: a, b'],
  ['too many groups', { preferred_username: 'eve', _claim_names: { groups: 's' } }, 'too many of them'],
  ["an admin's name", { preferred_username: 'admin', groups: ['sre'] }, "another person's"],
  ["another subject's name", { preferred_username: 'ANN', groups: ['sre'] }, "another person's"],
  [
    'a name with control characters',
    { preferred_username: 'a\u001b[2J\n', groups: ['sre'] },
    'cannot be a name',
  ],
  ['a name of a path', { preferred_username: '../ann', groups: ['sre'] }, 'cannot be a name'],
  ['no name', { groups: ['sre'] }, 'sends no name'],
] as const;

test.each(allIfLong(refused, 2))('nobody comes in: %s', async (_what, member, words) => {
  company.members.set('eve', member);
  const { code, stderr } = await login('eve', [], byBrowser);
  expect(code).toBe(1);
  expect(stderr).toContain(words);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may come through.
  expect(stderr.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f]/);
});

test('a person who is revoked signs in again; an admin of init needs no provider', async () => {
  company.members.set('rev', { preferred_username: 'rev', groups: ['looks'] });
  expect(await login('rev', [], byBrowser)).toMatchObject({ code: 0 });
  expect(await gateway.cli('revoke', 'person:rev')).toMatchObject({ code: 0 });
  expect(await asPerson('rev', 'hosts')).toMatchObject({ code: expect.not.toSatisfy((n) => n === 0) });
  expect(await readdir(join(gateway.state, 'refresh-tokens'))).not.toContain('rev.token');
  expect(await login('rev', [], byBrowser)).toMatchObject({ code: 0 });
  expect(await asPerson('rev', 'hosts')).toMatchObject({ code: 0 });

  expect(await oidcFindings()).toEqual([expect.objectContaining({ level: 'ok' })]);
  await company.leave();
  expect(await oidcFindings()).toEqual([
    expect.objectContaining({ level: 'error', text: expect.stringContaining('ECONNREFUSED') }),
  ]);
  await gateway.end('SIGTERM');
  await gateway.start();
  expect((await asPerson('rev', 'hosts')).stderr).toContain('provider cannot be reached');
  expect((await login('rev', [], byBrowser)).stderr).toContain('provider cannot be reached');
  expect(await gateway.cli('hosts')).toMatchObject({ code: 0 });
  await company.comeBack();
  await expect.poll(async () => (await asPerson('rev', 'hosts')).code).toBe(0);
});

test('P10: two people of the provider must say yes where a rule asks for two; one of them twice is one', async () => {
  for (const name of ['uma', 'vic']) {
    company.members.set(name, { preferred_username: name, groups: ['sre'] });
    expect(await login(name, [], byBrowser)).toMatchObject({ code: 0 });
  }
  const relay = await gateway.relay();
  const command = newMirrored();
  const over = play(relay, command, { tool: 'ask', args: ['both'] }, gateway.audit);
  await expect.poll(() => command.approvalId).not.toBe('');
  const approve = async (name: string) => {
    await asPerson(name, 'pending');
    return await asPerson(name, 'approve', command.approvalId);
  };
  expect(await approve('uma')).toMatchObject({ code: 0 });
  expect(await approve('uma')).toMatchObject({ code: 0 });
  expect(command.starts).toBe(0);
  expect(await approve('vic')).toMatchObject({ code: 0 });
  await over;
  relay.close();
  expect(command.starts).toBe(1);
  expect(await readFile(gateway.audit, 'utf8')).toContain('"by":"person:uma, person:vic"');
});

test('a linked person of the provider answers in a chat, as long as it may come in', async () => {
  company.members.set('tea', { preferred_username: 'tea', groups: ['sre'] });
  expect(await login('tea', [], byBrowser)).toMatchObject({ code: 0 });
  expect(await gateway.cli('users', 'link', 'tea', '--telegram', '21')).toMatchObject({ code: 0 });
  const relay = await gateway.relay();
  const press = async (label: string) => {
    const command = newMirrored();
    const over = play(relay, command, { tool: 'run', args: ['chat'] }, gateway.audit);
    await expect.poll(() => command.approvalId).not.toBe('');
    const find = () => telegram.messages.findLast(({ text }) => text.includes(`/a/${command.approvalId}`));
    await expect.poll(find).toBeDefined();
    const message = find();
    const data = message?.buttons.find(({ text }) => text === label)?.callback_data ?? '';
    const id = message && telegram.press({ user: 21, message, data });
    await expect.poll(() => telegram.replies.find((reply) => reply.id === id)).toBeDefined();
    return { over, command, said: telegram.replies.find((reply) => reply.id === id)?.text };
  };
  const first = await press('Approve');
  await first.over;
  expect([first.command.starts, first.said]).toEqual([1, 'Approved: it runs once.']);
  expect(await gateway.cli('revoke', 'person:tea')).toMatchObject({ code: 0 });
  // A link outlives a revocation, and what it let in does not.
  const second = await press('Approve');
  expect([second.command.starts, second.said]).toEqual([0, expect.stringContaining('nothing was decided')]);
  await gateway.cli('deny', second.command.approvalId);
  relay.close();
});

test('users add takes no name of a person of the provider', async () => {
  const { code, stderr } = await gateway.cli('users', 'add', 'ann', '--role', 'admin');
  expect([code, stderr]).toEqual([1, expect.stringContaining('a person of the provider')]);
});

async function oidcFindings(): Promise<unknown[]> {
  const { stdout } = await gateway.cli('doctor', '--config', gateway.config, '--json');
  return (JSON.parse(stdout) as { check: string }[]).filter(({ check }) => check === 'oidc');
}
