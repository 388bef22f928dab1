import { X509Certificate } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadGatewayIdentity } from '../../gateway/auth/gateway-identity.ts';
import { loadGatewayConfig } from '../../src/config/load-gateway-config.ts';
import { loadPolicy } from '../../src/policy/file/parse-policy.ts';
import { clawrden } from './clawrden.ts';

const home = await mkdtemp(join(tmpdir(), 'clawrden-init-'));
afterAll(() => rm(home, { recursive: true, force: true }));

const env = { HOME: home };
const dir = join(home, 'warden');

test('init makes everything that a gateway needs, for nobody else to read', async () => {
  const made = await clawrden(['init', '--dir', dir, '--name', 'warden.example', '--name', '10.0.0.9'], env);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const config = loadGatewayConfig(join(dir, 'gateway.yaml'));
  expect(config).toMatchObject({
    state: dir,
    policy: join(dir, 'policy.yaml'),
    audit: join(dir, 'audit.jsonl'),
    // a part of it is not taken for the whole.
    complete: true,
  });
  expect(loadPolicy(config.policy).tools.size).toBeGreaterThan(0);
  const identity = loadGatewayIdentity(config.state);
  expect(identity.people).toEqual(new Map([['admin', { role: 'admin', scope: {} }]]));
  const server = new X509Certificate(identity.server.certificate);
  expect(server.checkHost('warden.example')).toBe('warden.example');
  expect(server.checkHost('localhost')).toBe('localhost');
  expect(server.checkIP('10.0.0.9')).toBe('10.0.0.9');
  const admin = new X509Certificate(await readFile(join(dir, 'admin/cert.pem')));
  expect(admin.subjectAltName).toBe('URI:spiffe://clawrden/person/admin');
  expect(admin.checkIssued(new X509Certificate(identity.authority.certificate))).toBe(true);
  const names = ['.', ...(await readdir(dir, { recursive: true })), '../.config/clawrden/context.yaml'];
  const modes = await Promise.all(names.map(async (name) => (await stat(join(dir, name))).mode & 0o077));
  expect(modes).toEqual(names.map(() => 0));
});

test('without a home of its own the state is made all the same, and one line says how to name the context', async () => {
  const homeless = join(home, 'homeless');
  const made = await clawrden(['init', '--json', '--dir', homeless], { HOME: '/dev/null' });
  expect(made.code).toBe(0);
  expect(JSON.parse(made.stdout)).toMatchObject({ contexts: [join(homeless, 'context.yaml')] });
  expect(made.stderr.trim().split('\n')).toEqual([
    expect.stringMatching(
      /^clawrden: init: the default context is not written: .*context\.yaml with --context or CLAWRDEN_CONTEXT$/,
    ),
  ]);
});

test('a gateway does not start with a key that others may read', async () => {
  await chmod(join(dir, 'signing-key.pem'), 0o640);
  expect(() => loadGatewayIdentity(dir)).toThrow('can be read by others');
  await chmod(join(dir, 'signing-key.pem'), 0o600);
});

test('a folder that is not empty is refused and left alone, and a context that is there is kept', async () => {
  const before = await readdir(dir);
  const refused = await clawrden(['init', '--dir', dir], env);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toBe(
    `clawrden: init: ${dir}: it is not empty; name a folder that is new, or empty and your own\n`,
  );
  expect(await readdir(dir)).toEqual(before);
  const usual = join(home, '.config/clawrden/context.yaml');
  await writeFile(usual, 'mine');
  const second = await clawrden(['init', '--json', '--dir', join(home, 'second')], env);
  expect(JSON.parse(second.stdout)).toMatchObject({ contexts: [join(home, 'second/context.yaml')] });
  expect(second.stderr).toBe(
    `clawrden: init: the default context is not written: ${usual} is there and stays as it is; name ${join(home, 'second/context.yaml')} with --context or CLAWRDEN_CONTEXT\n`,
  );
  expect(await readFile(usual, 'utf8')).toBe('mine');
});

test.runIf(process.getuid?.() === 0)(
  'A-387: init takes no folder of another user, who could exchange what is in it',
  async () => {
    const others = join(home, 'others');
    await mkdir(others);
    await chown(others, 65_534, 65_534);
    const { code, stdout, stderr } = await clawrden(['init', '--dir', others], env);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${others}: it belongs to another user, 65534; `);
    expect(await readdir(others)).toEqual([]);
  },
);

test('wrong usage is one line and 2', async () => {
  const cases = [
    ['init'],
    ['init', '--dir', 'x', '--name', 'a b'],
    ['nonsense'],
    ['hosts', '--bogus'],
    ['token', 'create'],
  ];
  for (const args of cases) {
    const { code, stdout, stderr } = await clawrden(args, env);
    expect([args, code, stdout]).toEqual([args, 2, '']);
    expect(stderr).toMatch(/^clawrden: usage: .*; see clawrden.* --help\n$/);
  }
  expect(await clawrden(['token', 'create', '--help'], env)).toMatchObject({ code: 0, stderr: '' });
});
