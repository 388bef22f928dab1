import { domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { findDestination, isHosting, parseDestination } from './destination.ts';
import { endpointText, hostName, parseEndpoint } from './endpoint.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 20_000 : 1000;
const label = fc
  .stringMatching(/^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$/)
  .filter((text) => !text.startsWith('xn--'));
const name = fc.array(label, { minLength: 2, maxLength: 5 }).map((labels) => labels.join('.'));
const port = fc.integer({ min: 1, max: 65_535 });

describe('a name', () => {
  it('has one text, however it is written', () => {
    fc.assert(
      fc.property(name, port, fc.boolean(), fc.boolean(), (plain, number, isUpper, hasDot) => {
        const written = `${isUpper ? plain.toUpperCase() : plain}${hasDot ? '.' : ''}:${number}`;
        expect(parseEndpoint(written)).toEqual({ name: plain, port: number });
      }),
      { numRuns },
    );
  });

  it('is either refused, or has a text that stays as it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webAuthority()), (text) => {
        const once = hostName(text);
        if (once === undefined) return;
        expect(once).toMatch(/^[a-z0-9_.:-]+$/);
        expect(hostName(once.includes(':') ? `[${once}]` : once)).toBe(once);
      }),
      { numRuns },
    );
  });

  it.each([
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['ｆｕｌｌ.example', 'full.example'],
    ['2130706433', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['１２７。０。０。１', undefined],
    ['[::FFFF:127.0.0.1]', '::ffff:7f00:1'],
    ['[0:0::1]', '::1'],
    ['a..b', undefined],
    ['.a', undefined],
    ['a.b..', undefined],
    ['', undefined],
    ['a@b', undefined],
    ['a/b', undefined],
    ['a\\b', undefined],
    ['a%2eb', undefined],
    ['a b', undefined],
    ['a\nb', undefined],
    ['256.1.1.1', undefined],
    ['1.2.3.4.5', undefined],
    ['[fe80::1%25eth0]', undefined],
    [`${'a'.repeat(64)}.b`, undefined],
    [Array.from({ length: 64 }, () => 'abc').join('.'), undefined],
  ])('A-63: %j is %s', (text, expected) => {
    expect(hostName(text)).toBe(expected);
  });

  it.each(['a', 'a:', 'a:0', 'a:65536', 'a:080', 'a:80:80', ':80', '::1:80', 'a:80 ', ' a:80', 'a:8a'])(
    '%j is no endpoint',
    (text) => {
      expect(parseEndpoint(text)).toBeUndefined();
    },
  );
});

describe('a destination', () => {
  it('lets its own name and port be reached, and nothing else', () => {
    fc.assert(
      fc.property(name, port, name, port, (own, ownPort, other, otherPort) => {
        const [destination] = [parsed(`${own}:${ownPort}`)];
        expect(findDestination([destination], { name: own, port: ownPort })).toBe(destination);
        const isSame = own === other && ownPort === otherPort;
        expect(findDestination([destination], { name: other, port: otherPort }) !== undefined).toBe(isSame);
        expect(findDestination([destination], { name: `x.${own}`, port: ownPort })).toBeUndefined();
      }),
      { numRuns },
    );
  });

  it('with *. lets every name below it be reached, at any depth, and not itself', () => {
    fc.assert(
      fc.property(
        name,
        port,
        fc.array(label, { minLength: 1, maxLength: 3 }),
        label,
        (own, at, above, glued) => {
          fc.pre('value' in parseDestination(`*.${own}:${at}`, false));
          const wild = [parsed(`*.${own}:${at}`)];
          expect(findDestination(wild, { name: `${above.join('.')}.${own}`, port: at })).toBe(wild[0]);
          expect(findDestination(wild, { name: own, port: at })).toBeUndefined();
          expect(findDestination(wild, { name: `${glued}${own}`, port: at })).toBeUndefined();
          const behind = `a.${own}.${glued}`;
          // Below x.x is a.x.x.x, too.
          const isBelow = behind.endsWith(`.${own}`);
          expect(findDestination(wild, { name: behind, port: at }) !== undefined).toBe(isBelow);
          expect(findDestination(wild, { name: `a.${own}`, port: (at % 65_535) + 1 })).toBeUndefined();
        },
      ),
      { numRuns },
    );
  });

  it('that is private goes before one that is not', () => {
    const both = [parsed('*.corp.example:443'), parsed('npm.corp.example:443', true)];
    expect(findDestination(both, { name: 'npm.corp.example', port: 443 })).toBe(both[1]);
    expect(findDestination(both, { name: 'www.corp.example', port: 443 })).toBe(both[0]);
  });

  it.each([
    ['*:443', /must be NAME:PORT/],
    ['*.com:443', /lets all of \.com be reached/],
    ['*.internal:443', /lets all of \.internal/],
    ['*.co.uk:443', /belongs to many/],
    ['*.com.au:443', /belongs to many/],
    ['*.10.0.0.1:443', /not an address/],
    ['a.*.b:443', /must be NAME:PORT/],
    ['*a.example:443', /must be NAME:PORT/],
    ['registry.example', /must be NAME:PORT/],
    ['https://registry.example:443', /must be NAME:PORT/],
    ['localhost:80', /this machine/],
    ['x.localhost:80', /this machine/],
    ['127.1:80', /never reached/],
    ['[::ffff:169.254.169.254]:80', /never reached/],
    ['0x0a000001:80', /not public/],
    ['[64:ff9b::10.0.0.1]:443', /not public/],
  ])('A-63: %s is refused', (text, what) => {
    expect(parseDestination(text, false)).toEqual({ what: expect.stringMatching(what) });
  });

  it.each([
    ['REGISTRY.Example.:443', 'registry.example:443'],
    ['*.Bücher.example:443', '*.xn--bcher-kva.example:443'],
    ['*.shop.co.uk:443', '*.shop.co.uk:443'],
    ['npm:4873', 'npm:4873'],
    ['8.8.8.8:53', '8.8.8.8:53'],
    ['[2606:4700:0::1]:443', '[2606:4700::1]:443'],
  ])('%s is %s', (text, to) => {
    expect(parsed(text)).toEqual({ to });
  });
});

test('a wildcard of a name under which everybody may have a server is known', () => {
  expect([isHosting('*.github.io:443'), isHosting('*.me.github.io:443'), isHosting('github.io:443')]).toEqual(
    [true, false, false],
  );
});

test('A-63: an internationalised name is shown in ASCII only', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('ä', 'ß', 'ж', '例', 'a', 'ı', 'ﬁ') }), (text) => {
      const ascii = hostName(`${text}.example`);
      if (ascii !== undefined) expect(endpointText({ name: ascii, port: 1 })).toMatch(/^[\x21-\x7e]+$/);
      if (ascii !== undefined) expect(hostName(domainToUnicode(ascii))).toBe(ascii);
    }),
    { numRuns },
  );
});

function parsed(text: string, mayBePrivate = false) {
  const result = parseDestination(text, mayBePrivate);
  if ('what' in result) throw new Error(result.what);
  return result.value;
}
