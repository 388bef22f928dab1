import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRouteTarget } from './route-path.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 200_000 : 5000;

const piece = fc.constantFrom(
  ...[
    '.',
    '..',
    '/',
    '//',
    '\\',
    '%2e',
    '%2E',
    '%2f',
    '%5c',
    '%25',
    '%252e',
    '%00',
    ';',
    'a',
    'b.c',
    '...',
    '?',
    '#',
  ],
  ...[
    '%',
    '%zz',
    '%c0%ae',
    '%32',
    '%65',
    '%35',
    '2e',
    '%ef%bc%8e',
    '%e2%80%a5',
    '%ef%bc%8f',
    '%3f',
    '%ef%bc%9f',
    '%23',
    '%20',
    '@scope',
    ' ',
    'ä',
    '*',
  ],
);

describe('A-63: the path below a route', () => {
  it('is refused, or leads below the route however often it is decoded, and stays as it was', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = `/model/${pieces.join('')}`;
        let target: ReturnType<typeof readRouteTarget>;
        try {
          target = readRouteTarget(text);
        } catch {
          return;
        }
        expect(`/model/${target.path}${target.query}`).toBe(text);
        for (const path of decodings(target.path)) expect([path, below(path)]).toEqual([path, true]);
      }),
      { numRuns },
    );
  });

  it.each([
    'v1/messages',
    '',
    '@scope%2fname',
    'a/b/',
    'a.b/..c/d..',
    'x%20y',
    'name/-/name-1.0.0.tgz',
    '~a/$b,c=d',
  ])('may be %j', (path) => {
    expect(readRouteTarget(`/npm/${path}?q=/../x`)).toEqual({ route: 'npm', path, query: '?q=/../x' });
  });

  it.each([
    ...['../x', 'a/../b', 'a/..', '.', 'a/./b', '%2e%2e/x', '.%2E/x', '..%2fx', 'a%2f..%2fb', '%252e%252e/x'],
    ...[
      'a//b',
      '/a',
      'a%2f/b',
      'a\\b',
      '..\\x',
      'a%5cb',
      'a%00b',
      'a%0d%0ab',
      '..;/x',
      '.;a=b/x',
      'a#b',
      'a b',
      'a%2',
    ],
  ])('may not be %j', (path) => {
    expect(() => readRouteTarget(`/npm/${path}`)).toThrow(/refused|must be/);
  });

  it.each([
    ...['%25%32%65%25%32%65/x', '%252%65%252%65/x', '%25%32%66x', '%25%2532e', '%25%35c'],
    ...[
      '%c0%ae%c0%ae/x',
      '%e0%80%ae/x',
      '%ff',
      '%ef%bc%8e%ef%bc%8e/x',
      'a%ef%bc%8fb',
      '%e2%80%a5/x',
      '%c2%85',
      '..%3fx',
      'a/..%20/x',
      '%20%2e/x',
      '.%23',
      '..%ef%bc%9fx',
    ],
  ])('A-261: may not be %j, which some server reads as one that climbs', (path) => {
    expect(() => readRouteTarget(`/npm/${path}`)).toThrow(/is refused/);
  });

  it.each([
    '100%25',
    'caf%c3%a9/%e6%97%a5',
    'a%20b%3bc',
    '%7euser',
    '%40scope%2fname',
    '50%25off',
    'why%3f',
    'a.%20b',
  ])('may be %j', (path) => {
    expect(readRouteTarget(`/npm/${path}`).path).toBe(path);
  });

  it.each(['/', '//', '/Npm/x', '/1/x', '/a_b/x', '*', '/../x', '/npm%2fx', 'npm/x'])(
    '%j has no route',
    (text) => {
      expect(() => readRouteTarget(text)).toThrow('the target must be /ROUTE/PATH');
    },
  );
});

/** As it is, and as servers read it that decode it, however often; some take two bytes or a wide form for a dot. */
function decodings(path: string): string[] {
  const all = [path];
  for (let text = path, next = decoded(text); next !== text; text = next, next = decoded(text))
    all.push(next);
  return all.flatMap((text) => [text, loosely(text)]);
}

function decoded(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** `path` has a character for each byte. */
function loosely(path: string): string {
  const bytes = path.replaceAll('\xc0\xae', '.').replaceAll('\xc0\xaf', '/');
  return Buffer.from(bytes, 'latin1').toString().normalize('NFKC');
}

/** Whether no way of reading the path leads above it. */
function below(path: string): boolean {
  return path
    .replaceAll('\\', '/')
    .split('/')
    .every((segment) => !['.', '..'].includes(segment.split(/[;?#]/)[0]?.replace(/^ +| +$/g, '') ?? ''));
}
