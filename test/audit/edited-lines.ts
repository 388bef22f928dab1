import fc from 'fast-check';

/** Another text for a line; the same text means that there was nothing to change. */
export type Edit = (line: string) => string;

const nat = fc.nat({ max: 1_000_000 });

/** JSON that says the same to a parser that keeps the last of two equal keys, in another text. */
export const rewrites: Readonly<Record<string, fc.Arbitrary<Edit>>> = {
  'a key twice, another value first': nat.map((n) => (line) => {
    const { name, at } = oneKey(line, n);
    return `${line.slice(0, at)}"${name}":${n % 2 === 0 ? '"forged"' : '{"x":[1]}'},${line.slice(at)}`;
  }),
  'the record twice': fc.constant((line) => `{${line.slice(1, -1)},${line.slice(1)}`),
  'blanks between tokens': fc.tuple(nat, fc.constantFrom(' ', '\t', '\r', ' '.repeat(300_000))).map(
    ([n, blank]) =>
      (line) =>
        insertAt(line, pick(gaps(line), n), blank),
  ),
  'blanks around it': fc.constantFrom('\r', ' ', '\t').chain((blank) =>
    fc.constantFrom<Edit>(
      (line) => blank + line,
      (line) => line + blank,
    ),
  ),
  'a byte order mark': fc.constant((line) => `\ufeff${line}`),
  'a character escaped': nat.map((n) => (line) => {
    const at = pick(matches(line, /(?<=[{,]")[a-z](?=\w+":)/g), n);
    return line.slice(0, at) + escapeOf(line[at] ?? '') + line.slice(at + 1);
  }),
  'an escape in capitals': nat.map(
    (n) => (line) =>
      replaceAt(line, /\\u00[0-9a-f]*[a-f][0-9a-f]*/g, n, (text) => `\\u${text.slice(2).toUpperCase()}`),
  ),
  'an escape as its character': nat.map(
    (n) => (line) =>
      replaceAt(
        line,
        /(?<!\\)\\u(?:00[ef]\w|03\w\w|6f22|2028|feff|fffd)/g,
        n,
        (text) => JSON.parse(`"${text}"`) as string,
      ),
  ),
  'a short escape in full': nat.map((n) => (line) => replaceAt(line, /(?<!\\)\\n/g, n, () => '\\u000a')),
  'a slash escaped': nat.map((n) => (line) => replaceAt(line, /\//g, n, () => '\\/')),
  'a number in other digits': fc.tuple(nat, fc.constantFrom('.0', 'e0', 'E0', '.00', 'e+0')).map(
    ([n, tail]) =>
      (line) =>
        replaceAt(line, /(?<=[^\\]":)\d+(?=[,}])/g, n, (digits) => digits + tail),
  ),
  'a zero below zero': nat.map((n) => (line) => replaceAt(line, /(?<=[^\\]":)0(?=[,}])/g, n, () => '-0')),
  'one more hash': fc.constant((line) => `{"hash":"00",${line.slice(1)}`),
};

/** These say the same to every parser. The records of earlier versions are hashed whatever the order of their keys. */
export const orders: Readonly<Record<string, fc.Arbitrary<Edit>>> = {
  'keys in another order': fc.tuple(nat, nat).map(([a, b]) => (line) => {
    const entries = Object.entries(JSON.parse(line) as object);
    // Neither the number, which is first, nor the hash, which is last; never one of them twice.
    const most = entries.length - 2;
    const [one, other] = [1 + (a % most), 1 + ((a + 1 + (b % (most - 1))) % most)];
    [entries[one], entries[other]] = [entries[other] as never, entries[one] as never];
    return ascii(JSON.stringify(Object.fromEntries(entries)));
  }),
  'keys of an inner object in another order': fc.constant((line) =>
    ascii(JSON.stringify(JSON.parse(line), (key, value: unknown) => (key === '' ? value : turned(value)))),
  ),
  'sorted keys': fc.constant((line) => {
    const { hash, ...body } = JSON.parse(line) as Record<string, unknown>;
    const sorted = Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1));
    return ascii(JSON.stringify({ ...Object.fromEntries(sorted), hash }));
  }),
};

/** Of the bytes, whatever they say then. */
export const byteEdits: Readonly<Record<string, fc.Arbitrary<(line: Buffer) => Buffer>>> = {
  'a byte exchanged': fc.tuple(nat, fc.nat({ max: 255 })).map(([n, byte]) => (line) => {
    const edited = Buffer.from(line);
    edited[n % line.length] = byte;
    return edited;
  }),
  'bytes put in': fc.tuple(nat, fc.uint8Array({ minLength: 1, maxLength: 4 })).map(([n, bytes]) => (line) => {
    const at = n % (line.length + 1);
    return Buffer.concat([line.subarray(0, at), bytes, line.subarray(at)]);
  }),
  'bytes taken out': fc.tuple(nat, fc.integer({ min: 1, max: 80 })).map(([n, count]) => (line) => {
    const at = n % line.length;
    return Buffer.concat([line.subarray(0, at), line.subarray(at + count)]);
  }),
  'two bytes exchanged': fc.tuple(nat, nat).map(([a, b]) => (line) => {
    const edited = Buffer.from(line);
    const [one, other] = [a % line.length, b % line.length];
    [edited[one], edited[other]] = [line[other] ?? 0, line[one] ?? 0];
    return edited;
  }),
};

function ascii(json: string): string {
  return json.replaceAll(/[^ -~]/g, escapeOf);
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function turned(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).reverse());
}

function oneKey(line: string, n: number): { name: string; at: number } {
  const names = Object.keys(JSON.parse(line) as object);
  const name = names[n % names.length] ?? '';
  return { name, at: line.indexOf(`"${name}":`) };
}

/** Where a token of the record itself ends. */
function gaps(line: string): number[] {
  return matches(line, /(?<=^\{)|,(?="prev":"\w{64}")/g);
}

function matches(line: string, pattern: RegExp): number[] {
  return [...line.matchAll(pattern)].map(({ index }) => index);
}

function pick(places: readonly number[], n: number): number {
  return places[n % places.length] ?? 0;
}

function insertAt(line: string, at: number, text: string): string {
  return line.slice(0, at) + text + line.slice(at);
}

function replaceAt(line: string, pattern: RegExp, n: number, change: (text: string) => string): string {
  const found = [...line.matchAll(pattern)];
  const one = found[n % found.length];
  if (one === undefined) return line;
  return line.slice(0, one.index) + change(one[0]) + line.slice(one.index + one[0].length);
}
