import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { AuditRecord } from '../../gateway/audit/audit-record.ts';
import type { SignIns } from '../../gateway/ports/signed-in.ts';
import { createApprovers } from '../../gateway/principals/approvers.ts';
import { createRefreshTokens } from '../../gateway/signed-in/refresh-tokens.ts';
import { groupsFreshMs, openSignIns } from '../../gateway/signed-in/sign-ins.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import type { OidcConfig } from '../../src/config/oidc-config.ts';
import { type Asked, askProvider, valueOf } from './asked-provider.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const groups: OidcConfig['groups'] = new Map([
  ['sre', { role: 'operator', agents: {} }],
  ['looks', { role: 'viewer', agents: { team: 'web' } }],
]);
const ann = { kind: 'person', name: 'ann' } as const;

interface Site extends Asked {
  readonly signIns: SignIns;
  readonly records: AuditRecord[];
  readonly folder: string;
  /** Ann signs in by a browser. */
  readonly enter: () => Promise<unknown>;
  /** What a call that comes now hears. */
  readonly call: () => Promise<unknown>;
  readonly reopen: (issuer?: string, isTaken?: (name: string) => boolean) => Promise<SignIns>;
}

async function start(): Promise<Site> {
  const asked = await askProvider();
  const folder = await mkdtempDisposable(join(tmpdir(), 'clawrden-groups-'));
  onTestFinished(async () => {
    await asked[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
  const { company, provider, begin } = asked;
  company.members.set('1', { preferred_username: 'ann', groups: ['looks', 'sre'] });
  company.atKeyboard = '1';
  const database = await openDatabase(join(folder.path, 'clawrden.db'), 'crash');
  const records: AuditRecord[] = [];
  const reopen = (issuer = company.issuer, isTaken = (_name: string) => false) =>
    openSignIns({
      ...{ provider, database, isTaken },
      oidc: { issuer, nameClaim: 'preferred_username', groups } as OidcConfig,
      audit: { append: async (record) => void records.push(record) },
      tokens: createRefreshTokens(join(folder.path, 'tokens')),
    });
  const signIns = await reopen();
  return {
    ...asked,
    ...{ signIns, records, folder: folder.path, reopen },
    enter: async () => await signIns.signIn(valueOf(await provider.redeem(await begin())), '::1'),
    call: async () => {
      await signIns.freshen(ann);
      return signIns.of('ann', 'hasRunOut');
    },
  };
}

const asOperator = {
  value: expect.objectContaining({
    rights: [
      { role: 'operator', scope: {} },
      { role: 'viewer', scope: { team: 'web' } },
    ],
  }),
};

test('groups count for five minutes without asking, and no longer', async () => {
  const { company, enter, call, records } = await start();
  expect(await enter()).toEqual(asOperator);
  const { asked } = company;
  company.members.set('1', { preferred_username: 'ann', groups: ['looks'] });
  vi.advanceTimersByTime(groupsFreshMs - 70_000);
  expect(await call()).toEqual(asOperator);
  expect(company.asked).toBe(asked);
  vi.advanceTimersByTime(70_000);
  expect(await call()).toMatchObject({ value: { rights: [{ role: 'viewer', scope: { team: 'web' } }] } });
  expect(company.asked).toBe(asked + 1);
  expect(records.at(-1)).toMatchObject({ type: 'sign-in', event: 'changed', rights: [{ role: 'viewer' }] });
  company.members.set('1', { preferred_username: 'ann', groups: ['others'] });
  vi.advanceTimersByTime(groupsFreshMs);
  expect(await call()).toEqual({ refused: expect.stringContaining('the provider says: others') });
});

test('A-565 P17: who has a name that an older gateway gave another person meanwhile does not come in by it', async () => {
  const { enter, reopen, provider, begin } = await start();
  expect(await enter()).toEqual(asOperator);
  const signIns = await reopen(undefined, (name) => name === 'ann');
  expect(await signIns.signIn(valueOf(await provider.redeem(await begin())), '::1')).toEqual({
    refused: expect.stringContaining('the name ann is another person'),
  });
});

test('for who stays connected they are read a minute before that, in the background', async () => {
  const { company, enter, signIns } = await start();
  await enter();
  company.members.set('1', { preferred_username: 'ann', groups: [] });
  vi.advanceTimersByTime(groupsFreshMs - 50_000);
  const heard = Promise.withResolvers<void>();
  signIns.watch(heard.resolve);
  expect(signIns.of('ann', 'hasRunOut')).toEqual(asOperator);
  await heard.promise;
  expect(signIns.of('ann', 'hasRunOut')).toEqual({ refused: expect.stringContaining('none came') });
});

test('a person who is gone at the provider has to sign in again, and nothing is kept', async () => {
  const { company, enter, call, folder, records, signIns } = await start();
  await enter();
  expect(await readdir(join(folder, 'tokens'))).toEqual(['ann.token']);
  company.members.clear();
  vi.advanceTimersByTime(groupsFreshMs);
  expect(await call()).toEqual({ refused: expect.stringContaining('sign in again') });
  expect(await readdir(join(folder, 'tokens'))).toEqual([]);
  expect(records.at(-1)).toMatchObject({ type: 'sign-in', event: 'ended' });
  expect([signIns.of('ann', 'isOver'), signIns.subjectOf('ann')]).toMatchObject([
    { refused: expect.any(String) },
    '1',
  ]);
});

test('A-460 P10: a former provider and the present one may have one subject for two people', async () => {
  const { enter, signIns, reopen } = await start();
  await enter();
  expect(signIns.subjectOf('ann')).toBe('1');
  const next = await reopen('https://next.example');
  expect([next.isName('ann'), next.subjectOf('ann')]).toEqual([true, expect.not.stringMatching(/^1$/)]);
});

test('without a refresh token everything ends with the ID token', async () => {
  const { company, enter, call, signIns } = await start();
  company.refreshes = false;
  await enter();
  const { asked } = company;
  expect(signIns.find('ann')?.until).toBeLessThanOrEqual(Date.now() + 3_600_000);
  vi.advanceTimersByTime(3_590_000);
  expect(await call()).toEqual(asOperator);
  expect(signIns.find('ann')?.until).toBeLessThanOrEqual(Date.now() + 11_000);
  vi.advanceTimersByTime(11_000);
  expect(await call()).toEqual({ refused: expect.stringContaining('sign in again') });
  expect(company.asked).toBe(asked);
});

test('while the provider is gone groups count for their five minutes, and again when it is back', async () => {
  const { company, enter, call } = await start();
  await enter();
  await company.leave();
  vi.advanceTimersByTime(groupsFreshMs - 1);
  expect(await call()).toEqual(asOperator);
  vi.advanceTimersByTime(1);
  expect(await call()).toEqual({ refused: expect.stringContaining('cannot be reached'), isForAWhile: true });
  await company.comeBack();
  await expect.poll(call).toEqual(asOperator);
});

test('A-599: while the provider is gone what its people have started goes on, until it says otherwise', async () => {
  const { company, signIns, enter, call } = await start();
  await enter();
  const running = () => signIns.inForce().map(({ name }) => name);
  await company.leave();
  vi.advanceTimersByTime(groupsFreshMs + 1);
  expect(await call()).toMatchObject({ refused: expect.any(String), isForAWhile: true });
  expect(running()).toEqual(['ann']);
  company.members.set('1', { preferred_username: 'ann', groups: [] });
  await company.comeBack();
  await expect
    .poll(async () => {
      await call();
      return running();
    })
    .toEqual([]);
});

test('P17: who signs in with groups that give nothing has nothing of those before either', async () => {
  const { company, enter, records, signIns } = await start();
  await enter();
  company.members.set('1', { preferred_username: 'ann', groups: ['others'] });
  const nothing = { refused: expect.stringContaining('the provider says: others') };
  expect(await enter()).toEqual(nothing);
  expect(signIns.of('ann', 'isOver')).toEqual(nothing);
  expect(records.at(-1)).toMatchObject({ type: 'sign-in', event: 'changed', rights: [] });
});

test('a name is one subject for good, also after a restart', async () => {
  const { company, enter, reopen, provider, begin } = await start();
  await enter();
  const again = await reopen();
  expect(again.isName('ann')).toBe(true);
  company.members.set('2', { preferred_username: 'ann', groups: ['sre'] });
  company.atKeyboard = '2';
  const other = valueOf(await provider.redeem(await begin()));
  expect(await again.signIn(other, '')).toEqual({ refused: expect.stringContaining("another person's") });
  company.members.set('1', { preferred_username: 'root', groups: ['sre'] });
  company.atKeyboard = '1';
  const renamed = valueOf(await provider.redeem(await begin()));
  expect(await again.signIn(renamed, '')).toMatchObject({ value: { name: 'ann' } });
});

/** As main.ts makes it, without other people and links. */
function approversOf(signIns: SignIns) {
  return createApprovers({
    ...{ signIns, people: { find: () => undefined }, revocations: { epochOf: () => 0 } },
    links: { of: () => undefined, onePerson: (principal) => new Set([principal]) },
    agents: () => new Map([['coder', { name: 'coder', labels: {} } as never]]),
  });
}

test('A-307 P17: groups of who said yes before are read again before it counts', async () => {
  const { company, enter, signIns } = await start();
  await enter();
  const { rightOf, freshen } = approversOf(signIns);
  const { asked } = company;
  company.members.set('1', { preferred_username: 'ann', groups: ['looks'] });
  await freshen?.(['person:ann', 'relay:ann']);
  expect([rightOf('person:ann', 'coder')?.role, company.asked]).toEqual(['operator', asked]);
  vi.advanceTimersByTime(groupsFreshMs);
  await freshen?.(['person:ann']);
  expect([rightOf('person:ann', 'coder'), company.asked]).toEqual([undefined, asked + 1]);
});

test('A-307 P17: while the provider is gone nothing counts by old groups', async () => {
  const { company, enter, signIns } = await start();
  await enter();
  const { rightOf, freshen } = approversOf(signIns);
  expect(rightOf('person:ann', 'coder')).toMatchObject({ role: 'operator' });
  await company.leave();
  vi.advanceTimersByTime(groupsFreshMs);
  await freshen?.(['person:ann']);
  expect(rightOf('person:ann', 'coder')).toMatchObject({ role: 'operator', isOld: true });
});
