import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from 'node:crypto';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { describe, expect, test, vi } from 'vitest';
import { createKeyRing } from '../keys/key-ring.ts';
import { createSessionTokens } from './session-token.ts';

const signingKey = generateKeyPairSync('ed25519').privateKey;
const tokens = createSessionTokens({ gatewayId: 'gw-1', keys: createKeyRing(signingKey) });
const print = 'x'.repeat(43);
const caller = { kind: 'relay', name: 'host-7', role: 'relay', scope: {} } as const;
const now = () => Math.floor(Date.now() / 1000);

function goodClaims(): Record<string, unknown> {
  return {
    iss: 'clawrden:gw-1',
    aud: 'clawrden',
    sub: 'relay:host-7',
    role: 'relay',
    iat: now(),
    nbf: now(),
    exp: now() + 600,
    jti: 'j',
    cnf: { 'x5t#S256': print },
  };
}

async function sign(
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
  key: KeyObject = signingKey,
): Promise<string> {
  const all = { alg: 'EdDSA', typ: 'clawrden-session', ...header };
  return await new SignJWT(claims).setProtectedHeader(all).sign(key);
}

function unsigned(header: object, claims: object, signature = ''): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.${signature}`;
}

test('a token is good for the certificate it was made for', async () => {
  const { token, expiresIn } = await tokens.issue(caller, print);
  expect(expiresIn).toBe(600);
  expect(await tokens.verify(token, print)).toEqual({ value: { subject: 'relay:host-7', role: 'relay' } });
});

test('A-52: a token that was good is refused once it has expired', async () => {
  const { token } = await tokens.issue(caller, print);
  expect(await tokens.verify(token, print)).toHaveProperty('value');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 629_000 });
  expect(await tokens.verify(token, print)).toHaveProperty('value');
  vi.setSystemTime(Date.now() + 3000);
  expect(await tokens.verify(token, print)).toHaveProperty('refused');
  vi.useRealTimers();
});

test('A-91 P4: however the wall clock jumps, a token that was good is good for ten minutes and the skew at most', async () => {
  const jump = fc.record({
    by: fc.integer({ min: -3e9, max: 3e9 }),
    after: fc.integer({ min: 0, max: 400_000 }),
  });
  const jumps = fc.array(jump, { minLength: 1, maxLength: 6 });
  let kept = 0;
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    await fc.assert(
      fc.asyncProperty(jumps, async (all) => {
        const { token } = await tokens.issue(caller, print);
        const began = performance.now();
        expect(await tokens.verify(token, print)).toHaveProperty('value');
        for (const { by, after } of all) {
          vi.advanceTimersByTime(after);
          vi.setSystemTime(Date.now() + by);
          const isGood = 'value' in (await tokens.verify(token, print));
          if (isGood) kept += 1;
          if (isGood) expect(performance.now() - began).toBeLessThanOrEqual(630_000);
        }
      }),
      { numRuns: 100 },
    );
  } finally {
    vi.useRealTimers();
  }
  expect(kept).toBeGreaterThan(0);
});

test('A-53: a token over another certificate is refused', async () => {
  const { token } = await tokens.issue(caller, print);
  const refused = 'the token is bound to another certificate';
  expect(await tokens.verify(token, 'y'.repeat(43))).toEqual({ refused });
});

describe('A-51: how a token is checked is never taken from the token', () => {
  const invalid = { refused: 'the token is not valid' };

  test('alg none', async () => {
    const token = unsigned({ alg: 'none', typ: 'clawrden-session' }, goodClaims());
    expect(await tokens.verify(token, print)).toEqual(invalid);
  });

  test('HS256 with the public key as its secret', async () => {
    const publicPem = createPublicKey(signingKey).export({ type: 'spki', format: 'pem' });
    const text = unsigned({ alg: 'HS256', typ: 'clawrden-session' }, goodClaims()).slice(0, -1);
    const signature = createHmac('sha256', publicPem).update(text).digest('base64url');
    expect(await tokens.verify(`${text}.${signature}`, print)).toEqual(invalid);
  });

  test("another issuer's key", async () => {
    const other = generateKeyPairSync('ed25519').privateKey;
    expect(await tokens.verify(await sign(goodClaims(), {}, other), print)).toEqual(invalid);
  });

  test.each([
    { kid: '../../dev/null' },
    { jku: 'https://evil.example/keys' },
    { x5u: 'https://evil.example/cert' },
    { jwk: { kty: 'OKP' } },
    { typ: 'JWT' },
    { typ: 'clawrden-enrolment' },
  ])('header %j, well signed', async (header) => {
    expect(await tokens.verify(await sign(goodClaims(), header), print)).toHaveProperty('refused');
  });
});

describe('A-52: every claim is required and exact', () => {
  test('the claims as they should be are accepted', async () => {
    expect(await tokens.verify(await sign(goodClaims()), print)).toHaveProperty('value');
  });

  test.each(Object.keys(goodClaims()))('without %s', async (name) => {
    const { [name]: _left, ...claims } = goodClaims();
    expect(await tokens.verify(await sign(claims), print)).toHaveProperty('refused');
  });

  test.each([
    ['expired 31 s ago', () => ({ iat: now() - 600, nbf: now() - 600, exp: now() - 31 })],
    ['not before 31 s from now', () => ({ nbf: now() + 32 })],
    ['issued 31 s from now', () => ({ iat: now() + 32 })],
    ['living for a day', () => ({ exp: now() + 86_400 })],
    ['issued yesterday, ending soon', () => ({ iat: now() - 86_400, exp: now() + 60 })],
    ['for others', () => ({ aud: 'other' })],
    ['for us and others', () => ({ aud: ['clawrden', 'other'] })],
    ['for us in a list', () => ({ aud: ['clawrden'] })],
    ['of another gateway', () => ({ iss: 'clawrden:gw-2' })],
    ['with an unknown role', () => ({ role: 'root' })],
    ['with an end that is no number', () => ({ exp: '9999999999' })],
    ['with a claim that nobody asked for', () => ({ scope: 'admin' })],
  ])('%s', async (_what, change) => {
    const token = await sign({ ...goodClaims(), ...change() });
    expect(await tokens.verify(token, print)).toHaveProperty('refused');
  });

  test('an end 29 s ago is forgiven to the clocks', async () => {
    const token = await sign({ ...goodClaims(), iat: now() - 600, nbf: now() - 600, exp: now() - 28 });
    expect(await tokens.verify(token, print)).toHaveProperty('value');
  });
});

test('a token over 2 KiB is refused unread', async () => {
  expect(await tokens.verify('a'.repeat(2049), print)).toEqual({ refused: 'the token is too long' });
});

describe('A-91: a token is the very text that signing writes', () => {
  const header = JSON.stringify({ alg: 'EdDSA', typ: 'clawrden-session' });
  const invalid = { refused: 'the token is not valid' };

  function signed(headerText: string, claimsText: string): string {
    const text = [headerText, claimsText].map((part) => Buffer.from(part).toString('base64url')).join('.');
    return `${text}.${signBytes(null, Buffer.from(text), signingKey).toString('base64url')}`;
  }

  const claimsText = () => JSON.stringify(goodClaims());

  test('it is accepted', async () => {
    expect(await tokens.verify(signed(header, claimsText()), print)).toHaveProperty('value');
  });

  test('a key that stands twice is refused, wherever it stands and whatever its value', async () => {
    const keys = [...Object.keys(goodClaims()), '__proto__'];
    const value = fc.oneof(fc.constant('same'), fc.json());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...keys), value, fc.boolean(), async (key, other, first) => {
        const member = `${JSON.stringify(key)}:${other === 'same' ? JSON.stringify(goodClaims()[key] ?? 0) : other}`;
        const [, inside = ''] = /^\{(.*)\}$/.exec(claimsText()) ?? [];
        const doubled = first ? `{${member},${inside}}` : `{${inside},${member}}`;
        expect(await tokens.verify(signed(header, doubled), print)).toEqual(invalid);
      }),
      { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 5000 : 150 },
    );
  });

  test.each([
    ['the algorithm', header.replace('{', '{"alg":"none",')],
    ['the type', header.replace('}', ',"typ":"clawrden-session"}')],
    ['an escaped key', header.replace('}', ',"\\u0061lg":"EdDSA"}')],
    ['blanks', header.replace(',', ', ')],
  ])('%s twice or otherwise in the header is refused', async (_what, text) => {
    expect(await tokens.verify(signed(text, claimsText()), print)).toEqual(invalid);
  });

  test('no other spelling of the same bytes is accepted, in any part', async () => {
    const good = signed(header, claimsText());
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
    const bytesOf = (text: string) =>
      text.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
    const spellings = good
      .split('.')
      .flatMap((part, at, parts) => [
        ...alphabet.map((last) => parts.with(at, part.slice(0, -1) + last).join('.')),
        ...['=', '==', 'A', '\n', ' '].map((more) => parts.with(at, part + more).join('.')),
        parts.with(at, part.replaceAll('-', '+').replaceAll('_', '/')).join('.'),
      ]);
    const others = spellings.filter((text) => text !== good);
    const same = others.filter((text) => bytesOf(text).join() === bytesOf(good).join());
    expect(same.length).toBeGreaterThan(10);
    for (const text of others) expect(await tokens.verify(text, print)).toEqual(invalid);
    expect(await tokens.verify(good, print)).toHaveProperty('value');
  });

  test('a nested key that stands twice is refused', async () => {
    const doubled = claimsText().replace('{"x5t#S256":', `{"x5t#S256":"${'y'.repeat(43)}","x5t#S256":`);
    expect(await tokens.verify(signed(header, doubled), print)).toEqual(invalid);
  });
});
