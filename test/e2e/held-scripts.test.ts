import { chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '../../src/plan.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { untilAudited } from './life.ts';
import { type Typing, type } from './typed.ts';

const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
tools:
  sh: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 64m }
rules:
  - { name: scripts, tools: [sh], args: ["**"], action: ask, reason: "somebody should read it" }
complete: true
`;

/** What another container does to `real/x.sh` of a folder, or to a path to it, while it runs in a ghost. */
const changes: Readonly<Record<string, string>> = {
  empty: 'echo "echo evil >> ran" > real/x.sh',
  append: 'echo "echo evil >> ran" >> way/x.sh',
  twin: 'echo "echo evil >> ran" >> twin',
  rename: 'mv evil/x.sh real/x.sh',
  remove: 'rm real/x.sh',
  folder: 'mv real aside; mv evil real',
  link: 'ln -sfn evil way',
};
const untouched = 'beside';
/** By the init, until they have been open for a while. */
const stoodOver = 'TracerPid: 1 one ';
const names = [...Object.keys(changes), untouched];

describe.skipIf(!hasLab())('scripts that run in a ghost', () => {
  let stack: Stack;
  const agent = () => stack.agents.holder!;
  const at = (...place: string[]) => join(stack.workspaceOf('holder'), ...place);
  const inAgent = (script: string, cwd: string) => agent().exec(['/bin/sh', '-c', script], { cwd });

  beforeAll(async () => {
    stack = await startStack(sharedLab(), { name: 'held', policy, agents: { holder: {} } });
    for (const name of names) await prepare(name);
  });
  afterAll(() => stack?.stop());

  async function prepare(name: string): Promise<void> {
    for (const folder of ['', 'real', 'evil']) await mkdir(at(name, folder), { recursive: true });
    const padding = `# ${'.'.repeat(77)}\n`.repeat(400);
    const wait = 'until [ -e go ]; do sleep 0.1; done';
    await writeFile(
      at(name, 'real/x.sh'),
      `cd ${name}; grep TracerPid: /proc/self/status; echo one\n${wait}\n${padding}echo two\n`,
    );
    await writeFile(at(name, 'evil/x.sh'), `cd /app/${name}; echo evil >> ran\n`);
    await symlink('real', at(name, 'way'));
    for (const own of ['', 'real', 'evil', 'real/x.sh', 'evil/x.sh']) await chown(at(name, own), 1000, 1000);
    await inAgent('ln real/x.sh twin', `/app/${name}`);
  }

  async function untilAllAsked(): Promise<{ id: string; plan: Plan }[]> {
    let pending: { id: string; plan: Plan }[] = [];
    await waitUntil('every question', 60_000, async () => {
      pending = JSON.parse((await stack.cli(['pending', '--json'])).stdout);
      return pending.length === names.length;
    });
    return pending;
  }

  async function change(name: string, typing: Typing) {
    await typing.said('one\n');
    const told = await inAgent(
      changes[name] ?? 'cat real/x.sh > copy; mv copy real/copy; touch go',
      `/app/${name}`,
    );
    const { code, stdout, stderr } = await typing.ended;
    const { stdout: ran } = await inAgent('cat ran || true', `/app/${name}`);
    return { name, told: told.stderr, code, stdout: stdout.toString().replace(/\s+/g, ' '), stderr, ran };
  }

  test('A-78 P9: run as they were approved, or are killed and told', async () => {
    const typing = await Promise.all(names.map((name) => type(agent(), ['sh', `${name}/way/x.sh`])));
    for (const { id, plan } of await untilAllAsked()) {
      expect(plan.operands).toEqual([expect.not.objectContaining({ notHeld: expect.anything() })]);
      await stack.cli(['approve', id]);
    }
    const ends = await Promise.all(names.map((name, index) => change(name, typing[index] as Typing)));
    const killed = (name: string) => ({
      ...{ name, told: '', code: 1, stdout: stoodOver, ran: '' },
      stderr: `clawrden: operand-changed: ${name}/way/x.sh was changed while it ran, so it was killed\n`,
    });
    expect(ends).toEqual([
      ...Object.keys(changes).map(killed),
      { name: untouched, told: '', code: 0, stdout: `${stoodOver}two `, stderr: '', ran: '' },
    ]);
    const changed = await untilAudited(stack, 'outcome', ({ reason }) => reason === 'operand-changed');
    expect(changed.length).toBeGreaterThan(0);
  });
});
