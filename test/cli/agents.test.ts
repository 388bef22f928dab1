import { chmod, link, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadGatewayConfig } from '../../src/config/load-gateway-config.ts';
import { clawrden } from './clawrden.ts';

let dir: string;
let config: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-agents-'));
  config = join(dir, 'gateway.yaml');
  await writeFile(config, written, { mode: 0o640 });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const written = '# ours\nagents: [] # none yet\nstate: .\n';

const run = (...args: string[]) => clawrden(['agents', ...args, '--config', config]);
const add = (name: string, ...args: string[]) => run('add', name, '--relay', 'host-1', ...args);
const names = () => loadGatewayConfig(config).agents.map(({ name }) => name);

test('an agent is added to the file and removed again; rights and comments stay, and nothing is left beside it', async () => {
  const more = [
    '--users',
    '1001:1001',
    '--users',
    '1002:1',
    '--workspace',
    'web-app',
    '--labels',
    'team=web',
  ];
  expect(await add('web', ...more)).toMatchObject({ code: 0, stdout: `done web is added in ${config}\n` });
  expect(loadGatewayConfig(config).agents).toEqual([
    {
      ...{ name: 'web', relay: 'host-1', labels: { team: 'web' }, cwd: '/app', hosts: {} },
      ...{ workspace: { kind: 'volume', source: 'web-app' } },
      users: [
        { uid: 1001, gid: 1001 },
        { uid: 1002, gid: 1 },
      ],
    },
  ]);
  expect((await stat(config)).mode & 0o7777).toBe(0o640);
  expect(await add('api', '--workspace', '/srv/api', '--json')).toMatchObject({ code: 0 });
  expect(names()).toEqual(['web', 'api']);
  const removed = await run('remove', 'web', '--json');
  expect(JSON.parse(removed.stdout)).toMatchObject({ removed: 'web', file: config });
  expect((await run('remove', 'api')).code).toBe(0);
  expect(await readFile(config, 'utf8')).toBe('# ours\nagents: [] # none yet\nstate: .\n');
});

test('what would be wrong is refused in one line, and the file stays', async () => {
  for (const [args, why] of [
    [['add', 'a', '--relay', 'h', '--users', '0:0'], 'uid 0 is never accepted'],
    [['add', '../a', '--relay', 'h'], 'must be a name'],
    [['add', 'a', '--relay', 'h', '--workspace', '/'], 'must be an absolute path other than /'],
    [['remove', 'a'], 'there is no agent "a"'],
  ] as const) {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout, stderr.trim().split('\n')]).toEqual([1, '', [expect.stringContaining(why)]]);
  }
  expect(await readFile(config, 'utf8')).toBe(written);
});

test('a link, a second name and a read-only file are not touched: the lines are printed, and what to do with them', async () => {
  const lines = '  - name: a\n    relay: host-1\n    users:\n      - 1000:1000\n';
  const left = (why: string) => ({
    ...{ code: 1, stdout: lines },
    stderr: `clawrden: agents: ${config} was not touched: ${why}; put these lines under agents:\n`,
  });
  await chmod(config, 0o440);
  expect(await add('a')).toMatchObject(left('it is read-only'));
  await chmod(config, 0o640);
  await link(config, join(dir, 'other.yaml'));
  expect(await add('a')).toMatchObject(left('it has another name, too'));
  await rm(config);
  await symlink('other.yaml', config);
  expect(await add('a')).toMatchObject(left('it is a link'));
  expect(JSON.parse((await add('a', '--json')).stdout)).toEqual({ added: null, file: config, lines });
  expect(await readFile(config, 'utf8')).toBe(written);
});

test('of agents that are added at once each is in the file, or its command says why not', async () => {
  const tried = ['a', 'b', 'c', 'd', 'e', 'f'];
  const results = await Promise.all(tried.map((name) => add(name)));
  expect(names().toSorted()).toEqual(tried.filter((_, index) => results[index]?.code === 0));
  for (const { code, stderr } of results)
    if (code !== 0) expect(stderr).toMatch(/another command edits|somebody else has just changed it/);
});
