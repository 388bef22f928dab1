import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nodeImage } from '../lab/images/catalogue.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { typed } from './typed.ts';

const wrappers = 'env, timeout, nice, xargs, sh, busybox';
const tools = `git, tar, find, sort, npm, ls, ${wrappers}`;

/** Allows safe arguments, for each of two agents by its own strategy. */
const safe = (agent: string, place: string) => `
  - { name: ${agent}-look, agents: [${agent}], tools: [ls], action: allow${place} }
  - { name: ${agent}-wrap, agents: [${agent}], tools: [${wrappers}], action: allow${place} }
  - { name: ${agent}-safe, agents: [${agent}], tools: [git, tar, find, sort], safe-arguments: true, action: allow${place} }
  - { name: ${agent}-test, agents: [${agent}], tools: [npm], subcommands: [test], safe-arguments: true, action: allow${place} }`;

const anything = (agent: string, place: string) =>
  `\n  - { name: ${agent}-any, agents: [${agent}], tools: [${tools}], runs-anything: true, action: allow${place} }`;

const byGhost = `, strategy: ghost, image: "${nodeImage}"`;

const policyOf = (rules: typeof safe) => `version: 1
workspace: /app
timeout: 30s
tools:
${[...tools.split(', '), 'docker'].map((name) => `  ${name}: { strategy: mirror }`).join('\n')}
rules:${rules('mirrored', '')}${rules('ghostly', byGhost)}
  - { name: never, tools: [docker], action: deny, reason: not for agents }
complete: true
`;

const harmful: readonly (readonly string[])[] = [
  ['git', '-c', 'alias.x=!/app/c.sh', 'x'],
  ['git', '-c', 'core.fsmonitor=/app/c.sh', 'status'],
  ['git', '--exec-path=/app/x', 'status'],
  ['git', 'ls-remote', '--upload-pack=/app/c.sh', '.'],
  ['git', 'ls-remote', '--upload-pa=/app/c.sh', '.'],
  ['git', 'grep', '--open-files-in-pager=/app/c.sh', 'x'],
  ['git', 'grep', '-O/app/c.sh', 'x'],
  ['tar', 'cf', '/dev/null', '--checkpoint=1', '--checkpoint-action=exec=/app/c.sh', 'f'],
  ['tar', 'cf', '/dev/null', '--checkpoint=1', '--checkpoint-act=exec=/app/c.sh', 'f'],
  ['tar', '-I', '/app/c.sh', '-cf', 'x', 'f'],
  ['tar', 'xf', 'y', '--to-command=/app/c.sh'],
  ['find', '.', '-exec', '/app/c.sh', ';'],
  ['find', '.', '-execdir', '/app/c.sh', ';'],
  ['find', '.', '-ok', '/app/c.sh', ';'],
  ['find', '.', '-name', 'f', '-delete'],
  ['sort', '-S1K', '--compress-program=/app/c.sh', 'f'],
  ['npm', '--script-shell=/app/c.sh', 'test'],
  ['npm', 'test', '--tag=--script-shell=/app/c.sh'],
  ['npm', 'exec', '-c', '/app/c.sh'],
  ['env', '-S', 'docker ps'],
  ['timeout', '5', 'docker', 'ps'],
  ['xargs', 'docker'],
  ['sh', '-c', 'docker ps'],
  ['busybox', 'sh', '-c', 'docker ps'],
  ['nice', 'docker', 'ps'],
  ['sh', '-c', '/app/c.sh'],
  ['sh', '/app/c.sh'],
];

/** The tool's own message, which proves that Clawrden did not answer. */
const harmless: readonly (readonly [argv: readonly string[], says: string])[] = [
  [['ls', '-a'], 'c.sh'],
  [['timeout', '5', 'ls'], 'c.sh'],
  [['sh', '-c', 'ls -a /app'], 'c.sh'],
  [['find', '.', '-name', '-delete', '-o', '-name', 'f'], './f'],
  [['sort', '--', 'f'], 'text'],
  [['tar', '-cvf', '/dev/null', '--', 'f'], 'f'],
  [['git', 'log', '--format=%H', '--', '-c', 'alias.x=!sh'], 'not a git repository'],
  [['npm', 'test', '--', 'x', '--script-shell=/app/c.sh'], 'tested x --script-shell=/app/c.sh'],
];

describe.skipIf(!hasLab())('what an agent types, judged', () => {
  let stack: Stack;
  const agents = ['mirrored', 'ghostly'] as const;
  const file = (agent: string, name: string) => join(stack.workspaceOf(agent), name);
  const typedBy = (agent: string, argv: readonly string[]) => typed(stack.agents[agent]!, argv);
  const mark = (agent: string) => readFile(file(agent, 'CANARY'), 'utf8').catch(() => '');

  beforeAll(async () => {
    const container = { image: nodeImage, command: ['sleep', 'infinity'] };
    stack = await startStack(sharedLab(), {
      name: 'judged',
      policy: policyOf(safe),
      agents: { mirrored: { container }, ghostly: { container } },
    });
  });
  afterAll(() => stack?.stop());
  beforeEach(async () => {
    for (const agent of agents) {
      await rm(file(agent, 'CANARY'), { force: true });
      await writeFile(file(agent, 'f'), 'text\n');
      await writeFile(file(agent, 'c.sh'), '#!/bin/sh\necho ran >>/app/CANARY\n');
      await chmod(file(agent, 'c.sh'), 0o755);
      await writeFile(file(agent, 'package.json'), '{ "scripts": { "test": "echo tested" } }\n');
    }
  });

  const cases = agents.flatMap((agent) => harmful.map((argv) => [agent, argv] as const));
  test.each(cases)('A-27 A-28 A-29 A-30 A-31 A-32 %s: %j is refused', async (agent, argv) => {
    const { code, stdout, stderr } = await typedBy(agent, argv);
    expect([code, stdout.toString()]).toEqual([1, '']);
    expect(stderr).toMatch(/^clawrden: (denied-by-(rule|default)|tool-unknown): [^\n]+\n$/);
    expect(await mark(agent)).toBe('');
  });

  test.each(agents)('A-33 %s: behind 10 000 harmless arguments', async (agent) => {
    const many = Array.from({ length: 10_000 }, (_, index) => `file-${index}`);
    const { code, stderr } = await typedBy(agent, ['git', 'ls-remote', ...many, '--upload-pack=/app/c.sh']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('clawrden: denied-by-default: ')]);
  });

  test.each(agents)('A-31 A-34 %s: what is harmless runs', async (agent) => {
    for (const [argv, says] of harmless) {
      const { stdout, stderr } = await typedBy(agent, argv);
      expect([argv, stdout.toString() + stderr]).toEqual([argv, expect.stringContaining(says)]);
      expect(stderr).not.toContain('clawrden:');
    }
    expect(await mark(agent)).toBe('');
  });

  test('the same lines do harm if a policy lets them', async () => {
    const hash = async () =>
      (JSON.parse((await stack.cli(['policy', 'show', '--json'])).stdout) as { hash: string }).hash;
    const before = await hash();
    await writeFile(join(stack.dir, 'warden', 'policy.yaml'), policyOf(anything));
    await waitUntil('the open policy', 10_000, async () => (await hash()) !== before);
    const lines = harmful.filter(([tool]) => tool === 'find' || tool === 'tar').slice(0, 5);
    for (const agent of agents) {
      for (const argv of [...lines, ['git', '-c', 'alias.x=!/app/c.sh', 'x'], ['sh', '/app/c.sh']])
        await typedBy(agent, argv);
      expect((await mark(agent)).split('\n').length).toBeGreaterThan(3);
    }
  });
});
