import { renderArgument } from './render-text.ts';

/** The text is not JSON that this reader accepts. */
export class JsonError extends Error {
  override name = 'JsonError';
}

/** A key that is not expected. */
export class UnknownKeyError extends JsonError {}

/** More values than any request has. */
export class TooManyValuesError extends JsonError {}

/** The limits of a reader. */
export interface JsonLimits {
  /** The keys that any of its objects may have. */
  readonly keys: Pick<ReadonlySet<string>, 'has'>;
  /** How many more values are allowed; counts down. */
  left: number;
  /** What may be wrong in it for who looks at it next; if absent, as much as there are values. */
  readonly faults?: {
    /** That any of its objects may have. */
    readonly keys: number;
    /** Behind so many items an array holds texts only. */
    readonly items: number;
  };
}

const maxDepth = 8;
const maxShown = 64;

/**
 * Parses JSON text in linear time. Refuses what JSON.parse accepts: a key twice, nesting deeper than 8, and strings
 * that are not well-formed Unicode. Objects have no prototype. Throws a JsonError at the first fault.
 */
export function readStrictJson(text: string, limits?: JsonLimits): unknown {
  const reader: Reader = { text, at: 0, limits };
  const value = readValue(reader, 0);
  if (peek(reader) !== '') throw wrong(reader, 'the end');
  return value;
}

interface Reader {
  readonly text: string;
  at: number;
  readonly limits: JsonLimits | undefined;
}

function readValue(reader: Reader, depth: number): unknown {
  if (depth > maxDepth) throw new JsonError(`it is nested deeper than ${maxDepth}`);
  if (reader.limits !== undefined) countValue(reader.limits);
  switch (peek(reader)) {
    case '{':
      return readObject(reader, depth);
    case '[':
      return readArray(reader, depth);
    case '"':
      return readString(reader);
    default:
      return take(reader, endOfScalar(reader));
  }
}

function countValue(limits: JsonLimits): void {
  limits.left -= 1;
  if (limits.left < 0) throw new TooManyValuesError('it has more values than any request');
}

function shown(key: string): string {
  return renderArgument(key.slice(0, maxShown));
}

function readObject(reader: Reader, depth: number): object {
  const object: Record<string, unknown> = Object.create(null);
  let left = reader.limits?.faults?.keys ?? Number.POSITIVE_INFINITY;
  readItems(reader, '}', () => {
    left -= 1;
    if (left < 0) throw new TooManyValuesError('an object has more keys than that of any request');
    const key = readString(reader);
    if (Object.hasOwn(object, key)) throw new JsonError(`the key ${shown(key)} is there twice`);
    if (reader.limits?.keys.has(key) === false) throw new UnknownKeyError(shown(key));
    expect(reader, ':');
    object[key] = readValue(reader, depth + 1);
  });
  return object;
}

function readArray(reader: Reader, depth: number): unknown[] {
  const array: unknown[] = [];
  const most = reader.limits?.faults?.items ?? Number.POSITIVE_INFINITY;
  readItems(reader, ']', () => {
    if (array.length >= most && peek(reader) !== '"')
      throw new TooManyValuesError(`behind item ${most} an array holds texts only`);
    array.push(readValue(reader, depth + 1));
  });
  return array;
}

function readItems(reader: Reader, close: string, readItem: () => void): void {
  reader.at += 1;
  if (peek(reader) === close) {
    reader.at += 1;
    return;
  }
  for (;;) {
    readItem();
    if (peek(reader) !== ',') break;
    reader.at += 1;
  }
  expect(reader, close);
}

function readString(reader: Reader): string {
  if (peek(reader) !== '"') throw wrong(reader, 'a string');
  const value = take(reader, endOfString(reader)) as string;
  if (!value.isWellFormed()) throw new JsonError('a string is not well-formed Unicode');
  return value;
}

function endOfString(reader: Reader): number {
  const { text, at } = reader;
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charAt(quote - 1 - backslashes) === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  throw wrong(reader, 'a string that ends');
}

function endOfScalar({ text, at }: Reader): number {
  let end = at;
  while (end < text.length && !' \t\n\r,]}'.includes(text.charAt(end))) end += 1;
  return end;
}

/** The code above only finds where a token ends; JSON.parse checks the token. */
function take(reader: Reader, end: number): unknown {
  try {
    const value: unknown = JSON.parse(reader.text.slice(reader.at, end));
    reader.at = end;
    return value;
  } catch {
    throw wrong(reader, 'a JSON value');
  }
}

/** The next character after white space; empty at the end. */
function peek(reader: Reader): string {
  while (reader.at < reader.text.length && ' \t\n\r'.includes(reader.text.charAt(reader.at))) reader.at += 1;
  return reader.text.charAt(reader.at);
}

function expect(reader: Reader, character: string): void {
  if (peek(reader) !== character) throw wrong(reader, JSON.stringify(character));
  reader.at += 1;
}

function wrong({ at }: Reader, expected: string): JsonError {
  return new JsonError(`at character ${at} there should be ${expected}`);
}
