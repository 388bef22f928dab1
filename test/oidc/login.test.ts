import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, ended, start as startCli } from '../cli/clawrden.ts';
import { newMirrored, play } from '../warden/mirrored.ts';
import { type RealGateway, startRealGateway } from '../warden/real-gateway.ts';
import { browse } from './browse.ts';
import { type Company, clientId, openCompany, secret } from './company.ts';

let company: Company;
let gateway: RealGateway;

beforeAll(async () => {
  company = await openCompany(['http://127.0.0.1/callback']);
  process.env['TEST_OIDC_SECRET'] = secret;
  gateway = await startRealGateway({
    policy: '  - { name: both, tools: [ask], args: [both], action: ask, approvals: 2 }\n',
    keys: {
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
});

test.each([
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
])('nobody comes in: %s', async (_what, member, words) => {
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

test('users add takes no name of a person of the provider', async () => {
  const { code, stderr } = await gateway.cli('users', 'add', 'ann', '--role', 'admin');
  expect([code, stderr]).toEqual([1, expect.stringContaining('a person of the provider')]);
});

async function oidcFindings(): Promise<unknown[]> {
  const { stdout } = await gateway.cli('doctor', '--config', gateway.config, '--json');
  return (JSON.parse(stdout) as { check: string }[]).filter(({ check }) => check === 'oidc');
}
