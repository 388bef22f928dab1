import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAudit } from '../core/start-core.ts';
import { type FetchSite, startFetchSite } from './fetch-site.ts';
import { mayMakeNamespaces } from './two-namespaces.ts';

const here = 'http://good.example/page';
const mib = 1024 * 1024;
const html = `<title>A page</title><style>p{}</style><h1>Top</h1><p>One <b>two</b>
<a href="/x?a=1">three</a>.<ul><li><p>first</p><li>second</ul><script>alert(1)</script><pre>a  b
 c</pre>`;

describe.skipIf(!mayMakeNamespaces)('a fetch', () => {
  let site: FetchSite;
  beforeAll(async () => {
    site = await startFetchSite();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  const get = async (...args: string[]) => await site.fetch(['web_fetch', ...args]);
  const textAt = (text: string, type: string) =>
    `${here}/text?type=${encodeURIComponent(type)}&text=${encodeURIComponent(text)}`;
  const leadsTo = (url: string, from = here) => `${from}/to?url=${encodeURIComponent(url)}`;

  it('is judged, planned, recorded with its connections, and counted as any command', async () => {
    const { execution, code, stdout } = await site.fetch(['quick_fetch', `${here}/text?text=fine`]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'fine' });
    const of = readAudit(site.folder).filter((record) =>
      [record['id'], record['execution']].includes(execution),
    );
    expect(of.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['decision', 'start', 'connection', 'outcome']),
    );
    expect(of.find(({ type }) => type === 'decision')).toMatchObject({
      decision: 'allow',
      rule: 'pages',
      strategy: 'fetch',
    });
    expect(of.find(({ type }) => type === 'connection')).toMatchObject({
      ...{ to: 'good.example:80', address: '20.0.0.1', network: '', outcome: 'closed', agent: 'coder' },
      ...{ up: expect.any(Number), down: expect.any(Number) },
    });
  });

  it('is refused by a deny rule, and by no rule of another spelling', async () => {
    const result = await get('http://evil.example/page/text');
    expect(result).toMatchObject({ outcome: { kind: 'denied', reason: 'denied-by-rule' }, attempts: 0 });
  });

  it('over https trusts whom the gateway trusts, and nobody else', async () => {
    const url = (name: string) => `https://${name}.example/page/text?text=safe`;
    expect(await get(url('good'))).toMatchObject({ code: 0, stdout: 'safe' });
    const { code, stderr } = await get(url('untrusted'));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('no TLS that can be trusted'),
    });
    const down = readAudit(site.folder).findLast(
      ({ type, to }) => type === 'connection' && to === 'good.example:443',
    )?.['down'];
    expect(down).toBeGreaterThan(0);
  });

  it('A-64: follows what is allowed, at most five times, and names where it ends otherwise', async () => {
    expect(await get(`${here}/hops?left=5`)).toMatchObject({ code: 0, stdout: 'arrived', attempts: 6 });
    const tooMany = await get(`${here}/hops?left=6`);
    expect(tooMany).toMatchObject({ code: 1, stdout: '', attempts: 6 });
    expect(tooMany.stderr).toContain('leads to http://good.example/page/hops?left=0, more than 5 times');
    const ends = [
      ['http://evil.example/x', 'which rule no-evil denies'],
      ['http://EVIL.example/%78', 'leads to http://evil.example/x, which rule no-evil denies'],
      ['http://shop.example/x', 'which rule ask-shop asks a person about'],
      ['http://a:b@other.example/', 'with a user'],
      ['ftp://other.example/', 'only http and https'],
    ];
    for (const [url = '', what = ''] of ends) {
      const result = await get(leadsTo(url));
      expect(result).toMatchObject({ code: 1, stdout: '', connections: ['20.0.0.1:80'] });
      expect(result.stderr).toContain(what);
    }
    const up = leadsTo('https://other.example/page/text?text=up');
    expect(await get(up)).toMatchObject({ code: 0, stdout: 'up' });
    const record = readAudit(site.folder).findLast(({ type }) => type === 'connection');
    expect(record).toMatchObject({
      to: 'other.example:443',
      text: expect.stringContaining('rule pages allows'),
    });
    const down = await get(leadsTo(`${here}/text`, 'https://good.example/page'));
    expect(down.stderr).toContain('from https to http');
  });

  it('with a network goes to its destinations and to nothing else, and never inside', async () => {
    const docs = async (url: string) => await site.fetch(['docs_fetch', url]);
    expect(await docs(`${here}/text?text=in`)).toMatchObject({ code: 0, stdout: 'in' });
    expect(await docs('http://good.example:8080/page/text?text=port')).toMatchObject({
      code: 0,
      stdout: 'port',
    });
    for (const url of ['http://other.example/', leadsTo('http://other.example/'), 'http://inside.example/']) {
      const { code, stderr, connections } = await docs(url);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/not a destination of network docs|may not be reached/),
      });
      expect(connections).not.toContain('20.0.0.2:80');
    }
  });

  it('has text, JSON and XML, and anything else with --any', async () => {
    for (const type of [
      'text/csv',
      'application/json',
      'application/problem+json',
      'image/svg+xml',
      'application/xml',
    ])
      expect(await get(textAt('fine', type))).toMatchObject({ code: 0, stdout: 'fine' });
    for (const type of ['application/octet-stream', 'image/png', 'nonsense']) {
      expect(await get(textAt('bytes', type))).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('--any'),
      });
      expect(await get('--any', textAt('bytes', type))).toMatchObject({ code: 0, stdout: 'bytes' });
    }
    expect(await get(`${here}/untyped`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not say'),
    });
  });

  it('prints what an error says, and fails', async () => {
    expect(await get(`${here}/nowhere`)).toMatchObject({
      code: 1,
      stdout: 'no such page',
      stderr: 'web_fetch: HTTP 404 Not Found\n',
    });
  });

  it('prints the head, and asks for no more', async () => {
    const { code, stdout, requests } = await get('--head', `${here}/text?text=body`);
    expect({ code, method: requests[0]?.method }).toEqual({ code: 0, method: 'HEAD' });
    expect(stdout).toMatch(/^HTTP 200 OK\nContent-Type: text\/plain\n/);
  });

  it('makes text of HTML for an agent that asks by itself, and for others with --text', async () => {
    const url = textAt(html, 'text/html; charset=utf-8');
    const text =
      'A page\n\n# Top\n\nOne two [three](http://good.example/x?a=1).\n\n- first\n\n- second\n\na  b\n c\n';
    expect((await get(url)).stdout).toBe(html);
    expect((await get('--text', url)).stdout).toBe(text);
    expect((await site.fetch(['web_fetch', url], { byAgent: true })).stdout).toBe(text);
    expect((await site.fetch(['web_fetch', '--raw', url], { byAgent: true })).stdout).toBe(html);
  });

  it('has a part of it, and says where to go on', async () => {
    const url = textAt('0123\u00e956789', 'text/plain; charset=utf-8');
    const part = await get('--from', '2', '--max=3', url);
    expect(part).toMatchObject({
      code: 0,
      stdout: '23',
      stderr: 'web_fetch: bytes 2 to 4 of 11; --from 4 goes on\n',
    });
    expect(await get('--from', '4', url)).toMatchObject({ code: 0, stdout: '\u00e956789', stderr: '' });
    expect(await get('--from', '99', url)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it.each(['gzip', 'deflate', 'br', 'identity'])('unpacks %s', async (as) => {
    const { code, stdout } = await get(`${here}/packed?as=${as}&bytes=100000`);
    expect({ code, length: stdout.length, begins: stdout.slice(0, 8) }).toEqual({
      code: 0,
      length: 100_000,
      begins: 'abcdefgh',
    });
  });

  it.each(['gzip', 'deflate', 'br', 'compress', 'gzip, gzip'])(
    'does not take anything for %s',
    async (as) => {
      expect(await get(`${here}/broken?as=${encodeURIComponent(as)}`)).toMatchObject({ code: 1, stdout: '' });
    },
  );

  it('A-588: fails if its answer is cut off, whatever length that said', async () => {
    const docs = async (url: string) => await site.fetch(['docs_fetch', '--any', url]);
    for (const path of ['cut', 'cut-late'])
      expect(await docs(`http://good.example:81/answer-${path}`)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('cut off'),
      });
    expect(await docs('http://good.example:81/answer-whole')).toMatchObject({
      code: 0,
      stdout: 'beginning',
    });
  });

  it('A-65: reads 2 MiB at most, packed or not, however much comes', async () => {
    const { rss } = await get(`${here}/text`);
    for (const url of [`${here}/endless`, `${here}/bomb?mib=512`]) {
      const result = await get(url);
      expect({ code: result.code, length: result.stdout.length }).toEqual({ code: 1, length: 2 * mib });
      expect(result.stderr).toContain('is not read');
      expect(result.rss - rss).toBeLessThan(96 * mib);
      const down = readAudit(site.folder).findLast(({ type }) => type === 'connection')?.['down'];
      expect(down).toBeLessThan(8 * mib);
    }
    expect((await get(`${here}/packed?as=gzip&bytes=${2 * mib}`)).code).toBe(0);
    expect((await get('--any', '--max', '5', `${here}/packed?as=br&bytes=${64 * mib}`)).stdout).toBe('abcde');
  });

  it('A-65: ends a page that drips or gets stuck, and one that never comes', async () => {
    const drip = await site.fetch(['quick_fetch', `${here}/drip`]);
    expect(drip).toMatchObject({ outcome: { kind: 'timed-out', reason: 'run-timeout' }, stdout: '' });
    expect(drip.ms).toBeLessThan(6000);
    for (const page of ['stuck', 'silent']) {
      const url = page === 'silent' ? 'http://good.example/silent' : `${here}/stuck`;
      const result = await get(url);
      expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('egress-late') });
      expect(result.ms).toBeGreaterThan(9000);
      expect(result.ms).toBeLessThan(15_000);
    }
  });

  it.each([
    ['upgrade', 'changes the protocol, which nobody asked for'],
    ['hints', 'hints at an answer again and again'],
  ])('A-341 P19: a server that says %s and never answers keeps no fetch', async (said, what) => {
    for (let n = 0; n < 5; n += 1) {
      const url = `http://good.example:81/answer-${said}`;
      const { execution, code, stderr, ms } = await site.fetch(['docs_fetch', url]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(what) });
      expect(ms).toBeLessThan(8000);
      const records = readAudit(site.folder).filter(
        (record) => record['execution'] === execution && record.type === 'connection',
      );
      expect(records).toMatchObject([{ to: 'good.example:81', outcome: 'unreachable' }]);
    }
    expect(await get(`${here}/text?text=fine`)).toMatchObject({ code: 0, stdout: 'fine' });
  });

  it('P19: ends at once with its caller', async () => {
    const result = await site.fetch(['web_fetch', `${here}/stuck`], { leaveAfterMs: 500 });
    expect(result.outcome).toMatchObject({ kind: 'canceled' });
    expect(result.ms).toBeLessThan(3000);
    const record = readAudit(site.folder).findLast(({ type }) => type === 'connection');
    expect(record).toMatchObject({ outcome: 'stopped' });
  });

  it('says what is wrong with its line', async () => {
    const url = `${here}/text`;
    for (const line of [
      [],
      [url, url],
      ['--head', '--head', url],
      ['--max', 'x', url],
      ['--max', '0', url],
      ['--strange', url],
      ['--text', '--raw', url],
    ])
      expect(await get(...line)).toMatchObject({ code: 2, stdout: '', attempts: 0 });
  });
});
