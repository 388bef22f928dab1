import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type Asked, askProvider, valueOf } from './asked-provider.ts';
import { clientId, otherClient } from './company.ts';

const ann = { preferred_username: 'ann', groups: ['sre', 'all'] };

async function start(...given: Parameters<typeof askProvider>): Promise<Asked> {
  const asked = await askProvider(...given);
  onTestFinished(() => asked[Symbol.asyncDispose]());
  asked.company.members.set('1', ann);
  asked.company.atKeyboard = '1';
  return asked;
}

test('a code of a browser is worth a person with the groups, once', async () => {
  const { begin, provider } = await start();
  const redeemed = await begin();
  const person = valueOf(await provider.redeem(redeemed));
  expect(person).toMatchObject({ subject: '1', name: 'ann', groups: { names: ['sre', 'all'] } });
  expect(person.until).toBeGreaterThan(Date.now());
  expect(await provider.redeem(redeemed)).toEqual({
    refused: expect.stringContaining('invalid_grant'),
    isOver: true,
  });
});

test.each([
  ['nonce', 'nonce', 'nonce'],
  ['state', 'state', 'state'],
  ['PKCE verifier', 'verifier', 'invalid_grant'],
] as const)('another %s is refused', async (_what, key, said) => {
  const { begin, provider } = await start();
  const redeemed = await begin();
  const wrong = await provider.redeem({ ...redeemed, [key]: 'x'.repeat(43) });
  expect(wrong).toMatchObject({ refused: expect.stringContaining(said), isOver: true });
});

test('an answer that names another issuer is refused', async () => {
  const { begin, provider } = await start();
  const redeemed = await begin();
  const { returned } = redeemed;
  expect(returned.searchParams.has('iss')).toBe(true);
  returned.searchParams.set('iss', 'https://elsewhere.example');
  expect(await provider.redeem(redeemed)).toMatchObject({ refused: expect.stringContaining('iss') });
});

test('an ID token for another client, of another provider or with another signature is refused', async () => {
  const { begin, provider, company } = await start();
  const other = await start({ clientId: otherClient, issuer: company.issuer });
  const elsewhere = await start();
  const tokens = {
    aud: await idTokenOf(other, company),
    iss: await idTokenOf(elsewhere, elsewhere.company),
    signature: (await idTokenOf({ begin, provider }, company)).replace(/.{20}$/, 'A'.repeat(20)),
  };
  for (const [what, token] of Object.entries(tokens)) {
    const redeemed = await begin();
    company.idToken = token;
    const refused = await provider.redeem({ ...redeemed, nonce: nonceOf(token) });
    expect(refused).toMatchObject({ refused: expect.stringContaining(what) });
    company.idToken = undefined;
  }
  valueOf(await provider.redeem(await begin()));
});

const badSubjects = fc.oneof(
  fc.stringMatching(/^[!-~]{256,300}$/),
  fc.constantFrom('', ' ', 'a b', 'a\n', '\u202e1', '\u212a', '1\0'),
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((sub) => !/^[\x21-\x7e]+$/.test(sub)),
);

test('A-174: a signed ID token with a subject that no record can hold, or that was given to another client, is refused', async () => {
  const { begin, provider, company } = await start();
  const wrong = [
    { azp: otherClient },
    { azp: '' },
    ...fc
      .sample(badSubjects, { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 100 : 12 })
      .map((sub) => ({ sub })),
  ];
  for (const claims of wrong) {
    company.claims = claims;
    const refused = await provider.redeem(await begin());
    expect([claims, refused]).toEqual([
      claims,
      { refused: expect.stringContaining('does not hold'), isOver: true },
    ]);
  }
  for (const claims of [{ azp: clientId }, { sub: '~'.repeat(255) }]) {
    company.claims = claims;
    expect(valueOf(await provider.redeem(await begin()))).toMatchObject({ name: 'ann' });
  }
});

test('A-175: what a person at a device is told to open is a plain https address, or of this machine, and the code is plain', async () => {
  const { provider, company } = await start();
  const good = [
    'https://login.example/device',
    'http://127.0.0.1:8/d',
    'http://localhost/d',
    'http://[::1]:9/d?c=A-B',
  ];
  const bad = [
    ...[
      'http://login.example/device',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'HTTPS://',
      '',
      'login.example',
    ],
    ...[
      'https://user:word@login.example/',
      'https://login.example/ and more',
      'https://login.example/\u001b[2J',
    ],
    ...[
      'https://l\u043egin.example/',
      'https://login.example/"x',
      `https://login.example/${'a'.repeat(2048)}`,
    ],
  ];
  for (const uri of bad)
    for (const device of [{ verification_uri: uri }, { verification_uri_complete: uri }]) {
      company.device = device;
      const refused = { refused: expect.stringContaining('does not hold'), isOver: expect.any(Boolean) };
      expect([device, await provider.beginDevice()]).toEqual([device, refused]);
    }
  for (const uri of good) {
    company.device = { verification_uri: uri };
    expect(valueOf(await provider.beginDevice()).verificationUri).toBe(uri);
  }
  company.device = { user_code: 'AB\r\nopen http://evil.example' };
  expect(await provider.beginDevice()).toHaveProperty('refused');
});

test('a provider that signs with another key is followed at once', async () => {
  const { begin, provider, company } = await start();
  valueOf(await provider.redeem(await begin()));
  company.rotateKeys();
  valueOf(await provider.redeem(await begin()));
});

test('groups are read again, and a person who is gone is over', async () => {
  const { begin, provider, company } = await start();
  const { refreshToken = '' } = valueOf(await provider.redeem(await begin()));
  company.members.set('1', { ...ann, groups: ['web'] });
  const again = valueOf(await provider.refresh(refreshToken, '1'));
  expect(again.groups).toEqual({ names: ['web'] });
  expect(await provider.refresh(again.refreshToken ?? '', '2')).toHaveProperty('refused');
  company.members.clear();
  expect(await provider.refresh(again.refreshToken ?? '', '1')).toMatchObject({ isOver: true });
});

test('a device is let in once its person typed the code', async () => {
  const { provider, company } = await start();
  const begun = valueOf(await provider.beginDevice());
  expect(valueOf(await provider.redeemDevice(begun.deviceCode))).toBe('pending');
  await company.enterCode(begun.verificationUri, begun.userCode);
  expect(valueOf(await provider.redeemDevice(begun.deviceCode))).toMatchObject({ subject: '1', name: 'ann' });
  expect(await provider.redeemDevice(begun.deviceCode)).toMatchObject({ isOver: true });
});

test('groups that are left out because there are too many are named', async () => {
  const { begin, provider, company } = await start();
  company.members.set('1', { preferred_username: 'ann', _claim_names: { groups: 'src1' } });
  const { groups } = valueOf(await provider.redeem(await begin()));
  expect(groups).toEqual({ missing: expect.stringContaining('too many') });
});

test('a provider that is gone is told in one line', async () => {
  const { begin, provider, company } = await start();
  const redeemed = await begin();
  await company.leave();
  const gone = { refused: 'the provider cannot be reached; try again later', isOver: false };
  expect(await provider.redeem(redeemed)).toEqual(gone);
  await company.comeBack();
  valueOf(await provider.redeem(redeemed));
});

test('a provider that does not answer is given up', async () => {
  const { begin, hasty, company } = await start();
  const redeemed = await begin();
  company.hangs = true;
  expect(await (await hasty(300)).redeem(redeemed)).toMatchObject({
    refused: expect.stringContaining('reached'),
  });
});

/** As the provider of `company` answers it. */
async function idTokenOf(
  { begin, provider }: Pick<Asked, 'begin' | 'provider'>,
  company: Asked['company'],
): Promise<string> {
  company.members.set('1', ann);
  company.atKeyboard = '1';
  const redeemed = await begin();
  valueOf(await provider.redeem(redeemed));
  return company.lastIdToken;
}

function nonceOf(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    nonce: string;
  };
  return claims.nonce;
}
