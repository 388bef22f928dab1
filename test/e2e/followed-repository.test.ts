import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRepository } from '../fixtures/made-repository.ts';
import { type AgentContainer, startAgentContainer } from '../lab/agent-container.ts';
import { run } from '../lab/command.ts';
import { nodeImage } from '../lab/images/catalogue.ts';
import type { LabHost } from '../lab/lab-host.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { replicaFolder } from './replica-on.ts';
import { treeDifferences } from './tree-differences.ts';

// Its replicas are found by its name, among those of other tests.
const agent = 'cloner';
const container = { image: nodeImage, command: ['/bin/sleep', 'infinity'] };
const long = process.env['CLAWRDEN_LONG'] === '1';
const count = long ? 20_000 : 500;
const patience = long ? 600_000 : 90_000;

const policy = `version: 1
default: deny
workspace: /app
timeout: 15m
environment: { allow: [LANG, GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL, GIT_COMMITTER_DATE] }
tools:
  git: { strategy: ghost, image: "${nodeImage}", memory: 2g }
  npm: { strategy: ghost, image: "${nodeImage}", memory: 2g }
rules:
  - { name: all, action: allow }
complete: true
`;

// They are in git's log of what it did.
const env = {
  LANG: 'C.UTF-8',
  GIT_COMMITTER_NAME: 'A U Thor',
  GIT_COMMITTER_EMAIL: 'a@example.com',
  GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z',
};

interface Work {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
}
const inRepository = (...argv: Work['argv']): Work => ({ argv, cwd: '/app/repository' });
const work: readonly Work[] = [
  { argv: ['git', 'clone', '--quiet', 'origin.git', 'repository'], cwd: '/app' },
  inRepository('npm', 'ci', '--silent', '--offline', '--no-audit', '--no-fund'),
  inRepository('npm', 'run', '--silent', 'build', '--', '--logLevel', 'error'),
  inRepository('git', 'checkout', '--quiet', 'next'),
  inRepository('git', 'status', '--porcelain'),
  inRepository('git', 'checkout', '--quiet', 'main'),
  inRepository('git', 'fsck', '--no-progress'),
];

/** What differs between two natively equal runs: times, and git's index, which holds times and inode numbers. */
const meantToDiffer = /^(\.[fdL]\.\.t\.{6} .*|>f\S+ repository\/\.git\/index)$/;

describe.skipIf(!hasLab())('a real repository in a workspace that no Docker host sees', () => {
  let stack: Stack;
  let native: AgentContainer;
  let places: { home: string; native: string };
  beforeAll(async () => {
    const lab = sharedLab();
    stack = await startStack(lab, {
      name: 'repository',
      policy,
      agents: { [agent]: { followed: {}, container } },
    });
    places = { home: stack.workspaceOf(agent), native: await lab.workspace('repository-native') };
    native = await startAgentContainer(lab.agentHost, {
      ...{ name: 'repository-native', workspace: places.native, ...container },
    });
    const origin = join(places.native, 'origin.git');
    await makeRepository(origin, count);
    await run(['chown', '-R', '1000:1000', origin]);
    await run(['cp', '-a', origin, places.home]);
  }, patience);
  afterAll(async () => {
    await native?.remove();
    await stack?.stop();
  });

  /** Everything runs on `host` from now on. */
  async function moveTo(host: LabHost): Promise<void> {
    await stack.cli(['undrain', host.name]);
    for (const other of stack.hosts) if (other !== host.name) await stack.cli(['drain', other]);
  }

  test.each(work.map((one, index) => ({ ...one, index, typed: one.argv.slice(0, 3).join(' ') })))(
    `12: $typed in a repository of ${count} files leaves at home what it leaves natively`,
    async ({ argv, cwd, index }) => {
      const { hosts } = sharedLab();
      const host = hosts[index % hosts.length]!;
      await moveTo(host);
      const options = { cwd, env, timeout: patience };
      const natively = await native.exec(argv, options);
      expect(natively).toMatchObject({ code: 0 });
      expect(await stack.agents[agent]!.exec(argv, options)).toEqual(natively);
      const lines = await treeDifferences(places.native, places.home);
      expect(lines.filter((line) => !meantToDiffer.test(line))).toEqual([]);
      expect(await treeDifferences(places.home, await replicaFolder(host, agent))).toEqual([]);
    },
    patience,
  );

  test('and it was real work', async () => {
    const made = (folder: string) => readdir(join(places.home, 'repository', folder), { recursive: true });
    expect((await made('.')).length).toBeGreaterThan(count);
    expect((await made('dist')).filter((path) => path.endsWith('.js'))).toHaveLength(count / 5);
    expect((await made('node_modules')).length).toBeGreaterThan(100);
    const lines = await treeDifferences(places.native, places.home);
    expect(lines.filter((line) => line.startsWith('.f..t'))).not.toEqual([]);
  });
});
