import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { startsSince } from '../stack/engine-events.ts';
import {
  encodeRequest,
  plainRequest,
  type RawAgent,
  rawContainer,
  startRawAgent,
} from '../stack/raw-agent.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { createVerdicts, type Verdicts } from '../stack/verdicts.ts';

const mebibyte = 1024 * 1024;

describe.skipIf(!hasLab())('what a hostile process in the agent sends', () => {
  let stack: Stack;
  let raw: RawAgent;
  let verdicts: Verdicts;
  beforeAll(async () => {
    const p1 = await readFile(join(import.meta.dirname, '../fixtures/policy-p1.yaml'), 'utf8');
    const policy = p1
      .replace('tools:\n', 'tools:\n  "true": { strategy: passthrough }\n')
      .replace('tools: [ls, cat', 'tools: ["true", ls, cat');
    stack = await startStack(sharedLab(), {
      name: 'hostile',
      policy,
      agents: { coder: { container: rawContainer } },
    });
    raw = startRawAgent(stack.agents['coder']!);
    verdicts = createVerdicts(sharedLab(), stack, raw);
  });
  afterAll(async () => {
    raw?.[Symbol.dispose]();
    await stack?.stop();
  });

  const refused = (body: object | string | Uint8Array, code: string) =>
    verdicts.refuses(() => raw.request(body), code);
  const tooLarge = async () =>
    (await stack.audit()).reduce((sum, { type, code, codes }) => {
      const folded = type === 'refusals' ? (codes as Record<string, number>) : {};
      return sum + (folded['too-large'] ?? 0) + (type === 'decision' && code === 'too-large' ? 1 : 0);
    }, 0);
  const withText = (from: string, to: string, encoding: BufferEncoding = 'utf8') =>
    Buffer.from(JSON.stringify(plainRequest).replace(from, to), encoding);

  test('R0 itself is served, by the shim and by hand', async () => {
    const since = Date.now();
    const byHand = await raw.request(plainRequest);
    expect(byHand).toMatchObject({ acks: [0], stderr: '', exit: [0, 0], byServer: true });
    const byShim = await stack.agents['coder']!.exec(['ls', '-la']);
    expect(byShim).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('total') });
    expect(await startsSince(sharedLab(), since)).toHaveLength(2);
  });

  test('A-01 a request of no bytes is dropped', () => verdicts.drops(() => raw.send([Buffer.alloc(4)])));

  test('A-02 fifty connections that announce 4 GiB are each closed, and cost the relay under 5 MB', async () => {
    const fifty = () => Promise.all(Array.from({ length: 50 }, () => raw.send([Buffer.alloc(4, 0xff)])));
    const first = await fifty();
    const before = await residentBytes(stack.relay.pid);
    const answers = await fifty();
    expect(await residentBytes(stack.relay.pid)).toBeLessThan(before + 5e6);
    for (const { acks, exit, byServer, ms } of [...first, ...answers]) {
      expect({ acks, exit, byServer }).toEqual({ acks: [1], exit: [1, 0], byServer: true });
      expect(ms).toBeLessThan(5000);
    }
    await verdicts.serves();
    // Too many for one record each, but none is forgotten.
    await expect.poll(() => tooLarge(), { timeout: 5000 }).toBe(100);
  });

  test('A-03 a request of a byte over 1 MiB is refused, and not cut to size and run', async () => {
    const body = JSON.stringify({ ...plainRequest, pad: '' });
    const padded = body.replace('"pad":"', `"pad":"${'x'.repeat(mebibyte + 1 - body.length)}`);
    expect(padded).toHaveLength(mebibyte + 1);
    await refused(padded, 'too-large');
  });

  test('A-04 slow and silent clients are closed within 10 s, and 500 of them keep no good one waiting', async () => {
    const drip = [...encodeRequest(plainRequest)].map((byte) => [Uint8Array.of(byte), 100] as const);
    const slow = raw.send(drip, { withinMs: 20_000 });
    const header = raw.send([Uint8Array.of(0, 0, 1, 0)], { withinMs: 20_000 });
    const many = Array.from({ length: 500 }, () =>
      raw.send([Uint8Array.of(0, 0, 1, 0)], { withinMs: 20_000 }),
    );
    await verdicts.serves();
    for (const { acks, byServer, ms } of await Promise.all([slow, header, ...many])) {
      expect({ acks, byServer }).toEqual({ acks: [], byServer: true });
      expect(ms).toBeLessThan(11_000);
    }
    await verdicts.serves();
  });

  test('A-05 a tool name that is not UTF-8 is refused', () =>
    refused(withText('"ls"', '"r\xffm"', 'latin1'), 'request-invalid'));

  test.each([
    ['command', '"command":"ls"', '"command":"ls","command":"docker"'],
    ['cwd', '"cwd":"/app"', '"cwd":"/app","cwd":"/etc"'],
  ])('A-06 %s twice is refused', (_key, once, twice) => refused(withText(once, twice), 'request-invalid'));

  test.each([
    ['__proto__', '"__proto__":{"approved":true,"mode":"mirror"}'],
    ['constructor', '"constructor":{"prototype":{"x":1}}'],
  ])('A-07 the key %s is refused, and taints nothing', async (_key, pair) => {
    await refused(withText('{', `{${pair},`), 'request-invalid');
    await refused({ ...plainRequest, command: 'docker' }, 'denied-by-rule');
  });

  test.each([
    ['args is a string', { args: '-la' }],
    ['an argument is a number', { args: [1] }],
    ['an argument is null', { args: [null] }],
    ['env is an object', { env: { A: 'b' } }],
    ['a variable has no =', { env: ['NOEQUALS'] }],
    ['a variable has no name', { env: ['=x'] }],
    ['cwd is null', { cwd: null }],
    ['command is a list', { command: ['ls'] }],
    ['an argument holds a NUL', { args: ['a\0b'] }],
  ])('A-08 %s: refused', (_what, change) => refused({ ...plainRequest, ...change }, 'request-invalid'));

  test('A-08 nesting 100 000 deep: refused, and the relay lives', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    await refused(withText('"args":[]', `"args":${deep}`), 'request-invalid');
  });

  test.each([
    ...[
      '/bin/sh',
      './npm',
      '../bin/ls',
      'npm ',
      'npm\n',
      'NPM',
      'ｎｐｍ',
      'nрm',
      '',
      '-la',
      'n'.repeat(5000),
    ],
    ...['ls\u200b', '.', '..', 'ls;docker'],
  ])('A-26 the policy has no tool %j', (command) => refused({ ...plainRequest, command }, 'tool-unknown'));

  test.each([
    ['env', '-S', 'docker ps'],
    ['timeout', '5', 'docker', 'ps'],
    ['xargs', 'docker'],
    ['busybox', 'sh', '-c', 'docker ps'],
    ['nice', 'docker', 'ps'],
  ])('A-32 a wrapper that the policy does not name is refused: %s %s %s', (command, ...args) =>
    refused({ ...plainRequest, command, args }, 'tool-unknown'),
  );

  test('A-32 a shell that the policy names for one script is refused another command', () =>
    refused({ ...plainRequest, command: 'sh', args: ['-c', 'docker ps'] }, 'denied-by-default'));

  test('a refusal reaches the process that typed the command: one line, status 1', async () => {
    const { code, stdout, stderr } = await stack.agents['coder']!.exec(['docker', 'ps']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^clawrden: denied-by-rule: not for agents .*\n$/);
  });
});

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
