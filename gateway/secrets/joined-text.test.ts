import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMasking } from './mask-stream.ts';
import { cutAt, masked } from './masked.fixture.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 2000 : 150;
const cuts = fc.array(fc.nat(600), { maxLength: 8 });

/** Nothing that stands before or behind it continues it. */
const token = fc
  .string({ minLength: 6, maxLength: 70, unit: 'grapheme-ascii' })
  .map((text) => `Zq~9${text}~Qz`);

const lineBreaks = ['\n', '\r\n', '\n  ', '\\n', '\\r\\n', '\\u000a'];
const wrapped = fc.record({
  ...{ secret: token, cuts },
  before: fc.string({ maxLength: 120, unit: 'grapheme-ascii' }),
  after: fc.string({ maxLength: 120, unit: 'grapheme-ascii' }),
  encoding: fc.constantFrom('base64' as const, 'base64url' as const),
  width: fc.oneof(fc.constantFrom(60, 64, 72, 76), fc.integer({ min: 1, max: 100 })),
  /** Of the first line. */
  indent: fc.nat(100),
  lineBreak: fc.constantFrom(...lineBreaks),
});

function inLines(text: string, width: number, indent: number, lineBreak: string): string {
  const first = Math.max(0, width - indent);
  return [text.slice(0, first), ...(text.slice(first).match(new RegExp(`.{1,${width}}`, 'g')) ?? [])].join(
    lineBreak,
  );
}

test('A-510 a secret anywhere in a text in base64 is masked, wherever its lines end', () => {
  fc.assert(
    fc.property(wrapped, ({ secret, before, after, encoding, width, indent, lineBreak, cuts: places }) => {
      const encoded = Buffer.from(before + secret + after).toString(encoding);
      const text = Buffer.from(inLines(encoded, width, indent, lineBreak));
      const [start, end] = [before.length, before.length + secret.length];
      const wanted = `${encoded.slice(0, Math.ceil((start * 8) / 6))}***${encoded.slice(Math.floor((end * 8) / 6))}`;
      const seen = masked([secret], cutAt(text, places)).toString();
      expect(seen.replaceAll(lineBreak, '')).toBe(wanted);
      const bytes = Array.from(text, (byte) => Buffer.of(byte));
      expect(masked([secret], bytes).toString()).toBe(seen);
    }),
    { numRuns },
  );
});

test('A-510 PEM and MIME, as tools write them', () => {
  const key = `-----BEGIN KEY-----\n${Buffer.from('of a key that is secret '.repeat(60)).toString('base64')}\n`;
  for (const [width, lineBreak] of [
    [64, '\n'],
    [76, '\r\n'],
  ] as const)
    for (const before of ['', 'u', 'us', `user:${'x'.repeat(91)}`]) {
      const text = inLines(Buffer.from(before + key).toString('base64'), width, 0, lineBreak);
      // What stands before it, at most two letters that have bits of both, and a mask in each place of a line end.
      expect(masked([key], [Buffer.from(text)]).toString()).toMatch(
        new RegExp(`^[A-Za-z0-9\\r\\n]{0,${before.length * 2 + 4}}(?:\\*\\*\\*[\\r\\n]*)+.{0,2}=*$`),
      );
    }
});

test.each([60, 64, 76])('A-510 A-288 lines of base64 (%i letters) are let go together', (width) => {
  const [before, secret] = ['user:'.repeat(20), 'correct-horse-battery-staple'.repeat(3)];
  const lines = inLines(Buffer.from(before + secret).toString('base64'), width, 0, '\n').split(/(?<=\n)/);
  const stream = createMasking([secret])();
  const seen = lines.flatMap((line) => [stream.push(Buffer.from(line)), stream.lines()]);
  expect(Buffer.concat(seen).toString()).toBe('');
  const { length } = before;
  const told = Buffer.from(before)
    .toString('base64')
    .slice(0, Math.ceil((length * 8) / 6));
  expect(stream.rest().toString().replaceAll('\n', '')).toMatch(
    new RegExp(`^${told.slice(0, -4)}.{0,4}\\*\\*\\*.{0,3}$`),
  );
});

test('A-510 a secret of several lines is masked, however it is indented and quoted', () => {
  const secret = 'first: line\n  second line\nthird\n';
  for (const text of ['first: line\r\n\tsecond line\r\n\tthird', JSON.stringify(secret).slice(1, -3)])
    expect(masked([secret], [Buffer.from(`> ${text}.`)]).toString()).toBe('> ***.');
});

/** All that may stand for a character in JSON. */
function spellingsOf(character: string): string[] {
  const units = Array.from({ length: character.length }, (_, at) =>
    character.charCodeAt(at).toString(16).padStart(4, '0'),
  );
  const coded = units.map((digits) => `\\u${digits}`).join('');
  const capital = units.map((digits) => `\\u${digits.toUpperCase()}`).join('');
  const short = JSON.stringify(character).slice(1, -1);
  return [short, coded, capital, ...(character === '/' ? ['\\/'] : [])];
}

const quotable = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme-ascii' }),
    fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }),
    fc.string({ minLength: 8, maxLength: 40, unit: fc.constantFrom(...'\'"<>&=+/\\`u003\té😀') }),
  )
  .map((text) => `Zq~9${text}~Qz`)
  .filter((text) => text.isWellFormed() && Buffer.byteLength(text) <= 171 && !/[\r\n]/.test(text));

test('A-511 a secret in JSON is masked, whichever escapes its encoder chooses for each character', () => {
  fc.assert(
    fc.property(quotable, fc.infiniteStream(fc.nat(3)), cuts, (secret, choices, places) => {
      const spelled = Array.from(secret, (character) => {
        const spellings = spellingsOf(character);
        return spellings[Number(choices.next().value) % spellings.length];
      }).join('');
      // No encoder writes anything else for it.
      expect(JSON.parse(`"${spelled}"`)).toBe(secret);
      const text = Buffer.from(`{"token":"${spelled}","at":1}`);
      expect(masked([secret], cutAt(text, places)).toString()).toBe('{"token":"***","at":1}');
    }),
    { numRuns },
  );
});

/** What each escapes besides what JSON must. */
const encoders: readonly (readonly [name: string, escaped: RegExp, isCapital: boolean])[] = [
  ['JavaScript', /(?!)/u, false],
  ['Go', /[<>&\u2028\u2029]/u, false],
  ['Python', /[^\x20-\x7e]/u, false],
  ['System.Text.Json', /[<>&'"+`]|[^\x20-\x7e]/u, true],
  ['PHP with JSON_HEX', /[<>&'"]|[^\x20-\x7e]/u, true],
  ['Gson', /[<>&'=\u2028\u2029]/u, false],
  ['Rails', /[<>&\u2028\u2029]/u, false],
];

test.each(encoders)('A-511 a secret in the JSON of an encoder is masked: %s', (_name, escaped, isCapital) => {
  const secret = `it's <b>"a"</b> & 'c' = d+e/f\\g\`é\u2028😀 %41`;
  const spelled = Array.from(secret, (character) => {
    const [short = '', coded = '', capital = ''] = spellingsOf(character);
    if (character.search(escaped) === -1) return short;
    return isCapital ? capital : coded;
  }).join('');
  for (const text of [spelled, spelled.replaceAll('/', '\\/'), spelled.replaceAll('</', '<\\/')])
    expect(masked([secret], [Buffer.from(`"${text}"`)]).toString()).toBe('"***"');
});

test('A-511 a secret in base64 in JSON is masked', () => {
  const secret = '?>~?>~?>~ of ?>~?>~?>~';
  const text = Buffer.from(secret).toString('base64').replaceAll('/', '\\/').replaceAll('+', '\\u002B');
  expect(text).toContain('\\');
  expect(masked([secret], [Buffer.from(`"${text}"`)]).toString()).toMatch(/^"\*\*\*.{0,2}=*"$/);
});

test('A-511 a secret that has what looks like an escape is masked as it is, and a backslash before it hides nothing', () => {
  const secret = 'net\\u0041use\\n%41';
  for (const text of [secret, `C:\\${secret}`, JSON.stringify(secret).slice(1, -1)])
    expect(masked([secret], [Buffer.from(`${text};`)]).toString()).toMatch(/^(?:C:\\)?\*\*\*;$/);
});
