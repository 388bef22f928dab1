import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClawrdenError } from '../../../../src/errors.ts';
import { parseRequest } from './parse-request.ts';

const version0 = {
  command: 'ls',
  args: ['-la'],
  cwd: '/app',
  env: ['PATH=/usr/bin:/bin', 'LANG=C.UTF-8'],
  identity: { uid: 1000, gid: 1000 },
};
const version1 = {
  v: 1,
  ...version0,
  umask: 18,
  stdio: ['pipe', 'file', '=1'],
  ignored: [1, 13],
  blocked: [15],
};

function parse(request: unknown) {
  return parseRequest(Buffer.from(typeof request === 'string' ? request : JSON.stringify(request)));
}

describe('parseRequest', () => {
  it('reads version 0: stdin is null', () => {
    expect(parse(version0)).toEqual({
      claim: { uid: 1000, gid: 1000 },
      command: {
        tool: 'ls',
        args: ['-la'],
        cwd: '/app',
        env: ['PATH=/usr/bin:/bin', 'LANG=C.UTF-8'],
        umask: 0o22,
        stdio: ['null', 'pipe', 'pipe'],
        ignored: [],
        version: 0,
      },
    });
  });

  it('reads version 1', () => {
    expect(parse({ ...version1, tty: { cols: 80, rows: 24 } }).command).toMatchObject({
      umask: 18,
      stdio: ['pipe', 'file', '=1'],
      ignored: [1, 13],
      blocked: [15],
      terminal: { cols: 80, rows: 24 },
      version: 1,
    });
  });

  it('A-05 refuses bytes that are not UTF-8', () => {
    const body = Buffer.from(JSON.stringify(version0).replace('"ls"', '"r?m"'), 'latin1');
    body[body.indexOf('?')] = 0xff;
    expect(() => parseRequest(body)).toThrow('not UTF-8');
  });

  it.each([
    [
      'command',
      '{"command":"ls","command":"docker","args":[],"cwd":"/","env":[],"identity":{"uid":1,"gid":1}}',
    ],
    ['cwd', '{"command":"ls","args":[],"cwd":"/app","cwd":"/","env":[],"identity":{"uid":1,"gid":1}}'],
    ['uid', '{"command":"ls","args":[],"cwd":"/app","env":[],"identity":{"uid":1000,"uid":0,"gid":1}}'],
  ])('A-06 refuses the key %s twice', (_key, body) => {
    expect(() => parse(body)).toThrow('twice');
  });

  it.each([
    ['__proto__', '{"__proto__":{"approved":true,"mode":"mirror"},'],
    ['constructor', '{"constructor":{"prototype":{"x":1}},'],
    ['pad', '{"pad":"x",'],
    ['agent_id', '{"agent_id":"B",'],
    ['session', '{"session":"B-1",'],
    ['umask', '{"umask":0,'],
  ])('A-07, A-13 refuses the unknown key %s', (key, start) => {
    expect(() => parse(start + JSON.stringify(version0).slice(1))).toThrow(key);
    expect(
      ({} as Record<string, unknown>)['approved'] ?? ({} as Record<string, unknown>)['x'],
    ).toBeUndefined();
  });

  it.each([
    { args: '-la' },
    { args: [1] },
    { args: [null] },
    { args: null },
    { args: ['a\u0000b'] },
    { args: undefined },
    { env: { A: 'b' } },
    { env: ['NOEQUALS'] },
    { env: ['=x'] },
    { cwd: null },
    { cwd: '/app\u0000/x' },
    { command: ['ls'] },
    { command: undefined },
    { v: 0 },
    { v: 2 },
    { v: '1' },
    { v: null },
    { umask: 0o1000 },
    { umask: '18' },
    { stdio: ['pipe', 'pipe'] },
    { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] },
    { stdio: ['pipe', '=1', 'pipe'] },
    { stdio: ['pipe', 'pipe', 'socket'] },
    { ignored: [0] },
    { ignored: [65] },
    { ignored: Array.from({ length: 65 }, () => 2) },
    { blocked: [0] },
    { blocked: [65] },
    { blocked: null },
    { blocked: Array.from({ length: 65 }, () => 2) },
    { tty: { cols: 80 } },
    { tty: { cols: 80, rows: 65536 } },
    { tty: { cols: 80, rows: 24, x: 1 } },
  ])('A-08 refuses %j', (change) => {
    expect(() => parse({ ...version1, ...change })).toThrow(
      expect.objectContaining({ code: 'request-invalid' }),
    );
  });

  it.each(['[]', 'null', '"ls"', '1', '', '{}', '['.repeat(100_000)])(
    'A-08 refuses a body that is %.9s',
    (body) => {
      expect(() => parse(body)).toThrow(expect.objectContaining({ code: 'request-invalid' }));
    },
  );

  it.each(['-1', '4294967295', '4294967296', '1000.5', '"1000"', 'null', 'true', '1e400'])(
    'A-10 refuses the uid %s',
    (uid) => {
      const body = JSON.stringify(version0).replace('"uid":1000', `"uid":${uid}`);
      expect(() => parse(body)).toThrow('"uid" is not an integer');
    },
  );

  it('A-10 refuses an absent uid and an absent identity, and takes 1e3 as 1000', () => {
    expect(() => parse({ ...version0, identity: { gid: 1000 } })).toThrow('"uid"');
    expect(() => parse({ ...version0, identity: undefined })).toThrow('"identity"');
    const body = JSON.stringify(version0).replace('"uid":1000', '"uid":1e3');
    expect(parse(body).claim.uid).toBe(1000);
  });
});

describe('P20 A-86: nothing is read behind the first thing that is too much', () => {
  const refusalOf = (body: string): { code: string; read: number } => {
    let read = 0;
    try {
      parseRequest(Buffer.from(body), (values) => {
        read = values;
      });
    } catch (error) {
      return { code: (error as ClawrdenError).code, read };
    }
    return { code: '', read };
  };

  it('a key that is not known, wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 20 }),
        fc.nat(50),
        fc.boolean(),
        (name, before, inside) => {
          const key = JSON.stringify(`?${name}`);
          const items = Array(before).fill('""').join(',');
          const rest = Array(50_000).fill('0').join(',');
          const body = inside
            ? `{"args":[${items}],"identity":{${key}:[${rest}]}}`
            : `{"args":[${items}],${key}:[${rest}]}`;
          expect(refusalOf(body)).toMatchObject({ code: 'request-invalid' });
          expect(refusalOf(body).read).toBeLessThanOrEqual(before + 4);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('one value more than a command may have, in whatever lists; as many as it may have are read', () => {
    const list = (count: number) => `[${Array(count).fill('""').join(',')}]`;
    for (const body of [
      `{"args":${list(100_000)}}`,
      `{"args":[${Array(8).fill(list(20_000)).join(',')}]}`,
      list(200_000),
    ]) {
      const { code, read } = refusalOf(body);
      expect(code).toBe('too-large');
      expect(read).toBeLessThan(34_000);
    }
    const most = {
      command: 'ls',
      args: Array(32_768).fill(''),
      cwd: '/',
      env: Array(1000).fill('A=b'),
      identity: { uid: 1, gid: 1 },
    };
    expect(refusalOf(JSON.stringify(most))).toEqual({ code: '', read: 33_768 + 8 });
  });
});
