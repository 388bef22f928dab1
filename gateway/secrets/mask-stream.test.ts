import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FormIndex } from './form-index.ts';
import { createHiding, createMasking } from './mask-stream.ts';
import { cutAt, expected, masked, secretBytes } from './masked.fixture.ts';
import { formsOf } from './secret-forms.ts';

const value = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 80, unit: 'grapheme-ascii' }),
    fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }),
    fc.string({ minLength: 8, maxLength: 24, unit: fc.constantFrom('a', 'b') }),
    fc
      .array(fc.string({ minLength: 0, maxLength: 30 }), { minLength: 2, maxLength: 4 })
      .map((lines) => lines.join('\n')),
  )
  .filter((text) => Buffer.byteLength(text) >= 8 && text.isWellFormed());

/** A stream with forms of the values in it, whole, cut off, and one over the other. */
const streams = fc.array(value, { minLength: 1, maxLength: 3 }).chain((values) => {
  const forms = values.map(formsOf).flatMap(({ plain, joined }) => [...plain, ...joined]);
  const part = fc.oneof(
    fc.constantFrom(...forms),
    fc.tuple(fc.constantFrom(...forms), fc.nat(200)).map(([form, at]) => broken(form, at)),
    fc.constantFrom(...values).map((each) => Buffer.from(JSON.stringify(each))),
    fc.constantFrom('\\', '\\u', '\\u00', '\n', '\r', ' ', '\\n').map((text) => Buffer.from(text)),
    fc.tuple(fc.constantFrom(...forms), fc.nat(200)).map(([form, length]) => form.subarray(0, length)),
    fc.tuple(fc.constantFrom(...forms), fc.nat(200)).map(([form, from]) => form.subarray(from)),
    fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  );
  return fc.record({
    values: fc.constant(values),
    text: fc.array(part, { maxLength: 8 }).map((parts) => Buffer.concat(parts)),
    cuts: fc.array(fc.nat(400), { maxLength: 12 }),
  });
});

function broken(form: Buffer, at: number): Buffer {
  return Buffer.concat([form.subarray(0, at), Buffer.from(at % 2 ? '\r\n' : '\\n  '), form.subarray(at)]);
}

test('A-202 exactly the bytes of forms are masked, wherever the stream is cut', () => {
  fc.assert(
    fc.property(streams, ({ values, text, cuts }) => {
      const wanted = expected(values, text).toString('latin1');
      expect(masked(values, [text]).toString('latin1')).toBe(wanted);
      expect(masked(values, cutAt(text, cuts)).toString('latin1')).toBe(wanted);
      expect(
        masked(
          values,
          Array.from(text, (byte) => Buffer.of(byte)),
        ).toString('latin1'),
      ).toBe(wanted);
    }),
    { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 2000 : 150 },
  );
});

/** What it leaves, each encoder has its own mix of; the last ones are the words of other languages for the same secret. */
const awkward = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEX@MPLE=:x p<q>"r"&s;t,u~v!w*(y)\'z[1]{2}|3^4`5-6%7?8#9$0';

const encodings: readonly (readonly [string, string])[] = [
  ...[encodeURIComponent, encodeURI, escapeForm, userOf, pathOf, queryOf, hashOf].map(
    (encode) => [encode.name, encode(awkward)] as const,
  ),
  ['quote of Python', percented(awkward, '_.-~/')],
  ['PathEscape of Go', percented(awkward, '$&+=:@-_.~')],
  ['UserPassword of Go', percented(awkward, '$&+,;=-_.~')],
  ['a path of RFC 3986', percented(awkward, "-._~!$&'()*+,;=:@/")],
  ['nothing but letters', percented(awkward, '-._')],
];

test.each(encodings)(
  'A-286 a secret that each encoder writes in its own way is masked: %s',
  (_name, text) => {
    expect(masked([awkward], [Buffer.from(text)]).toString()).toBe('***');
  },
);

test('A-286 a secret in JSON is masked, whatever else is escaped there', () => {
  const secret = 'pä/ß"x<&>é+secret\\qq';
  const plain = JSON.stringify(secret).slice(1, -1);
  const unit = (digits: (text: string) => string) => (char: string) =>
    `\\u${digits(char.charCodeAt(0).toString(16).padStart(4, '0'))}`;
  for (const digits of [(text: string) => text, (text: string) => text.toUpperCase()])
    for (const ascii of [/[^\x20-\x7e]/g, /^$/g])
      for (const html of [/[<>&]/g, /^$/g])
        for (const slash of ['/', '\\/']) {
          const text = plain.replace(ascii, unit(digits)).replace(html, unit(digits)).replaceAll('/', slash);
          expect(masked([secret], [Buffer.from(text)]).toString()).toBe('***');
        }
});

function percented(text: string, leaves: string): string {
  return Array.from(Buffer.from(text), (byte) => {
    const char = String.fromCharCode(byte);
    const isLeft = /^[A-Za-z0-9]$/.test(char) || leaves.includes(char);
    return isLeft ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

function escapeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function userOf(text: string): string {
  return Object.assign(new URL('https://x/'), { password: text }).password;
}

function pathOf(text: string): string {
  return Object.assign(new URL('https://x/'), { pathname: text }).pathname.slice(1);
}

function queryOf(text: string): string {
  return Object.assign(new URL('https://x/'), { search: text }).search.slice(1);
}

function hashOf(text: string): string {
  return Object.assign(new URL('https://x/'), { hash: text }).hash.slice(1);
}

const token = 'ghp_16C7e42F292c6912E7/710c838347Ae178B4a+=?é';

test.each([
  ['as it is', token, 0],
  ['base64 at its beginning', base64(token), 0],
  ['base64 behind one byte', base64(`u${token} and more`), 12],
  ['base64 behind two bytes', base64(`me${token}:`), 4],
  ['base64 behind many bytes', base64(`x-access-token:${token}`), 20],
  ['base64url', Buffer.from(`>>>???${token}`).toString('base64url'), 8],
  ['percent', encodeURIComponent(token), 0],
  ['percent in small letters', encodeURIComponent(token).replace(/%../g, (code) => code.toLowerCase()), 0],
  ['percent of a path', encodeURI(token), 0],
  ['a form', new URLSearchParams({ password: token }).toString(), 'password='.length],
  ['JSON', JSON.stringify(token), 2],
  ['JSON of PHP', JSON.stringify(token).replaceAll('/', '\\/'), 2],
  ['JSON of Python', JSON.stringify(token).replace('é', '\\u00e9'), 2],
])('A-203 a secret is masked: %s', (_what, text, around) => {
  const seen = masked([token], [Buffer.from(`to be or ${text} not to be`)]).toString();
  expect(seen).toMatch(/^to be or .*\*\*\*.* not to be$/);
  // What stands around it in the same form, and at most two characters that have bits of both.
  expect(seen.length).toBeLessThanOrEqual('to be or *** not to be'.length + around + 4);
});

test('A-203 a long secret of several lines is masked: as a terminal prints it, wrapped in base64, and the most of it that comes', () => {
  const lines = Array.from({ length: 40 }, (_, at) => base64(`line ${at} of a key that is secret`));
  const key = ['-----BEGIN KEY-----', ...lines, '-----END KEY-----'].join('\n');
  expect(masked([key], [Buffer.from(key.replaceAll('\n', '\r\n'))]).toString()).toMatch(/^[*\r\n]+$/);
  expect(masked([key], [Buffer.from(base64(key).replace(/.{76}/g, '$&\n'))]).toString()).toMatch(/^[*\n=]+$/);
  const once = 'x'.repeat(30) + randomBytes(3000).toString('hex');
  expect(masked([once], [Buffer.from(`${once.slice(0, 2500)} and`)]).length).toBeLessThan(500);
});

/** Beginnings of forms, line ends and other text: what an agent writes who guesses how a secret begins. */
const guesses = fc.array(value, { minLength: 1, maxLength: 2 }).chain((values) => {
  const forms = values.map(formsOf).flatMap(({ plain }) => plain);
  const part = fc.oneof(
    fc
      .tuple(fc.constantFrom(...forms), fc.nat(200))
      .map(([form, length]) => form.subarray(0, length % form.length)),
    fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom('\n', '\r', 'x').map((text) => Buffer.from(text)),
  );
  return fc
    .record({ values: fc.constant(values), chunks: fc.array(part, { minLength: 1, maxLength: 8 }) })
    .filter(({ chunks }) => !secretBytes(values, Buffer.concat(chunks)).includes(1));
});

/** How much the last line end closes: none behind so much base64 that it may go on. */
function closed(bytes: Buffer): number {
  const text = bytes.toString('latin1');
  const ends = Array.from(text, (_, at) => at + 1).filter(
    (end) => '\r\n'.includes(text.charAt(end - 1)) && !/[\w+/-]{60}\r?.$/s.test(text.slice(0, end)),
  );
  return ends.at(-1) ?? 0;
}

test('A-288 nothing tells that a text is like the beginning of a secret: neither what is masked, nor what is held back', () => {
  fc.assert(
    fc.property(guesses, fc.constantFrom('lines', 'rest', 'cut'), ({ values, chunks }, end) => {
      const stream = createMasking(values)();
      let [came, gone] = [0, 0];
      for (const chunk of chunks) {
        came += chunk.length;
        gone += stream.push(chunk).length;
        expect(gone).toBe(Math.max(0, came - 1030));
      }
      const left = Buffer.concat(chunks).subarray(gone);
      const line = closed(left);
      const wanted = {
        lines: left.subarray(0, line),
        rest: left,
        cut: Buffer.concat([left.subarray(0, line), Buffer.from(left.length > line ? '***' : '')]),
      };
      expect(stream[end]().equals(wanted[end])).toBe(true);
    }),
    { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 2000 : 150 },
  );
});

test('A-288 the lines of a secret are masked, whenever they are let go', () => {
  const key = ['-----BEGIN KEY-----', 'b3BlbnNzaC1rZXktdjEA', 'QUJDREVGR0hJ', '-----END KEY-----'].join('\n');
  const stream = createMasking([key])();
  const seen = Array.from(`${key}\n`, (letter) => [stream.push(Buffer.from(letter)), stream.lines()]).flat();
  expect(Buffer.concat([...seen, stream.cut()]).toString()).toMatch(/^[*\n]+$/);
});

test('A-289 a text is masked, also with small letters for large ones', () => {
  const hide = createHiding(['Wq7-Secret-Value']);
  expect(hide('wq7-secret-value.evil.example:443 is not a destination')).toBe(
    '***.evil.example:443 is not a destination',
  );
  expect(hide(`/${encodeURIComponent('Wq7-Secret-Value')}/x and wq7-secret`)).toBe('/***/x and wq7-secret');
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

const indented = Array.from({ length: 500 }, (_, at) => `${' '.repeat(12)}key-${at}: value-${at}`).join('\n');

test.each([
  ['blanks', ' '],
  ['what they have in common', `${' '.repeat(12)}key-`],
  ['blanks in base64', 'ICAg'],
])('A-376 P20: lines of a secret that begin alike cost an output once: %s', (_what, part) => {
  const text = Buffer.from(part.repeat((1024 * 1024) / part.length));
  const index = new FormIndex(formsOf(indented).plain);
  let compared = 0;
  index.scan(text, text.length, (_at, forms) => void (compared += forms.length));
  expect(compared).toBeLessThan(10 * text.length);
});

test('A-376 each of many lines that begin alike is masked', () => {
  const lines = indented.split('\n');
  const text = Buffer.from(lines.map((line) => `<${line}>`).join(''));
  const chunks = Array.from({ length: Math.ceil(text.length / 100) }, (_, at) =>
    text.subarray(at * 100, (at + 1) * 100),
  );
  expect(masked([indented], chunks).toString()).toBe('<***>'.repeat(lines.length));
});
