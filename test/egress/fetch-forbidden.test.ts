import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fetched, type FetchSite, startFetchSite } from './fetch-site.ts';
import { forbidden, literal, misspelt } from './forbidden-addresses.ts';
import { mayMakeNamespaces } from './two-namespaces.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 800 : 60;
const page = 'http://good.example/page/to?url=';

describe.skipIf(!mayMakeNamespaces)(
  'A-63 A-64 P16: a fetch sends no packet to an address that is not public',
  () => {
    let site: FetchSite;
    beforeAll(async () => {
      site = await startFetchSite();
    });
    afterAll(() => site[Symbol.asyncDispose]());

    function expectNothing(result: Fetched, at: readonly string[] = []) {
      expect(result).toMatchObject({ connections: at, attempts: at.length, stdout: '' });
      expect(result.code).toBeGreaterThan(0);
      expect(result.stderr).toMatch(/^web_fetch: /);
    }

    it('reaches a public one, by name and by number', async () => {
      for (const [host, address] of [
        ['good.example', '20.0.0.1'],
        ['20.0.0.9', '20.0.0.9'],
        ['[2606:4700::6]', '2606:4700::6'],
      ]) {
        const result = await site.fetch(['web_fetch', `http://${host}/page/text?text=here`]);
        expect(result).toMatchObject({
          code: 0,
          stdout: 'here',
          connections: [`${address}:80`],
          attempts: 1,
        });
      }
    });

    it('as it stands in a URL', async () => {
      await fc.assert(
        fc.asyncProperty(forbidden, fc.constantFrom('http', 'https'), async (address, scheme) => {
          const { hostname } = new URL(`http://${literal(address)}/`);
          expectNothing(await site.fetch(['web_fetch', `${scheme}://${hostname}/latest/meta-data/`]));
        }),
        { numRuns },
      );
    });

    it('in words that mean it: they are read as what they are, and not fetched', async () => {
      await fc.assert(
        fc.asyncProperty(misspelt, async (text) => {
          const result = await site.fetch(['web_fetch', `http://${text}/`]);
          expectNothing(result);
          expect(result.stderr).toContain(`write it as ${new URL(`http://${text}/`).href}`);
        }),
        { numRuns: numRuns / 2 },
      );
    });

    it('as one of the addresses of a name, at whatever place, also behind another name', async () => {
      let count = 0;
      const ofPublic = fc.array(
        fc.integer({ min: 1, max: 250 }).map((last) => `20.9.0.${last}`),
        { maxLength: 60 },
      );
      await fc.assert(
        fc.asyncProperty(
          forbidden,
          ofPublic,
          fc.nat(),
          fc.boolean(),
          async (address, others, at, isAlias) => {
            const name = `n${(count += 1)}.example`;
            const addresses = others.toSpliced(at % (others.length + 1), 0, address);
            await site.names({ [name]: [isAlias ? ['cdn.example', ...addresses] : addresses] });
            expectNothing(await site.fetch(['web_fetch', `http://${name}/`]));
          },
        ),
        { numRuns },
      );
    });

    it('as that to which a page leads', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(forbidden.map(literal), misspelt),
          fc.constantFrom(301, 302, 303, 307, 308),
          async (host, status) => {
            const url = encodeURIComponent(`http://${host}/latest/`);
            const result = await site.fetch(['web_fetch', `${page}${url}&status=${status}`]);
            expectNothing(result, ['20.0.0.1:80']);
          },
        ),
        { numRuns },
      );
    });

    it('as that which a name has the next time: it is asked once for each step', async () => {
      await site.names({
        'turns.example': [['20.0.0.7'], ['127.0.0.1']],
        'now.example': [['20.0.0.6'], ['10.0.0.1']],
      });
      const first = await site.fetch(['web_fetch', 'http://turns.example/page/text?text=once']);
      expect(first).toMatchObject({ code: 0, stdout: 'once', connections: ['20.0.0.7:80'] });
      // One question for each family.
      expect(first.asked).toEqual(['turns.example', 'turns.example']);
      expectNothing(await site.fetch(['web_fetch', 'http://turns.example/page/text?text=twice']));
      const back = encodeURIComponent('http://now.example/page/text?text=back');
      const led = await site.fetch(['web_fetch', `http://now.example/page/to?url=${back}`]);
      expectNothing(led, ['20.0.0.6:80']);
    });

    it.each([
      ['the gateway', 'http://11.0.0.1/', 1],
      ['an engine', 'http://engine.example/', 1],
      ['this machine by its name', 'http://localhost/', 1],
      ['another port than a web server has', 'http://good.example:2375/', 1],
      ['a file', 'file:///etc/passwd', 2],
      ['another protocol', 'ftp://good.example/', 2],
      ['a user in the URL', 'http://a@127.0.0.1/', 2],
      ['a password in the URL', 'http://a:b@good.example/', 2],
      ['an empty user', 'http://@good.example/', 2],
      ['a backslash', 'http://good.example\\@127.0.0.1/', 2],
      ['a dot behind the name', 'http://localhost./', 2],
      ['capitals', 'http://EVIL.example/', 2],
      ['needless escapes', 'http://good.example/%70age/text', 2],
      ['no URL', 'good.example', 2],
    ])('nor to %s', async (_what, url, code) => {
      const result = await site.fetch(['web_fetch', url]);
      expectNothing(result);
      expect(result.code).toBe(code);
    });
  },
);
