import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonError, readStrictJson } from './strict-json.ts';

describe('readStrictJson', () => {
  it('reads what JSON.stringify writes, whatever the value', () => {
    const json = fc.jsonValue({ depthSize: 'small', maxDepth: 6, stringUnit: 'binary' });
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.stringify(readStrictJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 300 },
    );
  });

  it('never takes a text that JSON.parse refuses', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '"a"',
      '"\\"',
      '1',
      '-',
      '.5',
      'true',
      'nul',
      ' ',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let read: string;
        try {
          read = JSON.stringify(readStrictJson(text));
        } catch (error) {
          expect(error).toBeInstanceOf(JsonError);
          return;
        }
        expect(read).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['a key twice (A-06)', '{"command":"ls","command":"docker"}', 'twice'],
    ['a key twice, once escaped (A-06)', '{"cwd":"/app","c\\u0077d":"/"}', 'twice'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', 'twice'],
    ['a lone surrogate', '["\\ud800"]', 'Unicode'],
    ['an unfinished string', '["a', 'ends'],
    ['a string that ends in an escape', '["a\\"]', 'ends'],
    ['a control character in a string', '["a\u0001"]', 'JSON value'],
    ['something behind the value', '{} {}', 'the end'],
    ['a trailing comma', '[1,]', 'JSON value'],
    ['nothing', '', 'JSON value'],
    ['NaN', '[NaN]', 'JSON value'],
    ['nesting of 100 000 (A-08)', '['.repeat(100_000), 'nested'],
  ])('refuses %s', (_what, text, why) => {
    expect(() => readStrictJson(text)).toThrow(JsonError);
    expect(() => readStrictJson(text)).toThrow(why);
  });

  it('keeps __proto__ an ordinary key (A-07)', () => {
    const object = readStrictJson('{"__proto__":{"approved":true}}') as object;
    expect(Object.keys(object)).toEqual(['__proto__']);
    expect(({} as { approved?: boolean }).approved).toBeUndefined();
  });

  it('takes a megabyte of quotes and backslashes in linear time', () => {
    const long = JSON.stringify(['\\"'.repeat(130_000), 'x'.repeat(300_000)]);
    const start = process.cpuUsage();
    readStrictJson(long);
    readStrictJson(`[${'"",'.repeat(200_000)}""]`);
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });
});
