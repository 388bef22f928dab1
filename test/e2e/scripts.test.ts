import { createHash } from 'node:crypto';
import { readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Plan } from '../../src/plan.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type AuditLine, type Stack, startStack } from '../stack/start-stack.ts';
import { untilAudited, untilNoGhosts } from './life.ts';
import { type Typed, type, typed } from './typed.ts';

const policy = `version: 1
default: deny
workspace: /app
timeout: 1m
tools:
  sh: { strategy: ghost, image: "clawrden-lab/busybox:latest", memory: 64m }
  ash: { strategy: mirror }
rules:
  - { name: scripts, tools: [sh, ash], args: ["*.sh", "**"], action: ask, reason: "somebody should read it" }
  - { name: known, tools: [sh, ash], args: ["known"], action: allow }
complete: true
`;

const strategies = [
  { strategy: 'ghost', shell: 'sh' },
  { strategy: 'mirror', shell: 'ash' },
] as const;

const evil = 'echo evil >> ran\n';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

interface Pending {
  readonly id: string;
  readonly plan: Plan;
}

describe.skipIf(!hasLab())('scripts in the workspace', () => {
  let stack: Stack;
  const agent = () => stack.agents.writer!;
  const file = (name: string) => join(stack.workspaceOf('writer'), name);
  const ran = () => readFile(file('ran'), 'utf8').catch(() => '');
  const textOf = (name: string) => `echo ${name} >> ran; echo done\n`;
  /** A ghost holds it; in its own container the agent could end the hold. */
  const seenOf = (shell: string, name: string) => ({
    ...{ path: name, digest: sha256(textOf(name)), file: `/app/${name}` },
    ...(shell === 'ash' ? { notHeld: 'the agent can change it' } : {}),
  });

  /** What the agent does to its scripts while they wait for an answer. */
  const changes: Readonly<Record<string, (path: string) => Promise<void>>> = {
    'same.sh': () => Promise.resolve(),
    'bytes.sh': (path) => writeFile(path, evil),
    'link.sh': async (path) => {
      await writeFile(file('evil'), evil);
      await unlink(path);
      await symlink('evil', path);
    },
    'moved.sh': async (path) => {
      await rename(path, file('twin'));
      await symlink('/app/twin', path);
    },
  };
  const names = Object.keys(changes);

  beforeAll(async () => {
    stack = await startStack(sharedLab(), { name: 'scripts', policy, agents: { writer: {} } });
  });
  afterAll(() => stack?.stop());
  beforeEach(async () => {
    for (const name of ['ran', 'evil', 'twin', ...names]) await rm(file(name), { force: true });
    for (const name of names) await writeFile(file(name), textOf(name));
  });

  async function untilAllAsked(): Promise<Pending[]> {
    let pending: Pending[] = [];
    await waitUntil('every question', 30_000, async () => {
      pending = JSON.parse((await stack.cli(['pending', '--json'])).stdout) as Pending[];
      return pending.length === names.length;
    });
    return pending;
  }

  test.each(strategies)('A-44 P9: by $strategy, what a person saw runs, or nothing', async ({ shell }) => {
    const typing = await Promise.all(names.map((name) => type(agent(), [shell, name])));
    const pending = await untilAllAsked();
    await untilNoGhosts(sharedLab(), 'writer', 10_000);
    expect(await ran()).toBe('');
    const shown = unfold((await stack.cli(['pending'])).stdout);
    for (const { plan } of pending) {
      const name = plan.argv[1] ?? '';
      expect(plan.operands).toEqual([seenOf(shell, name)]);
      expect(shown).toContain(`"${name}" is "/app/${name}", sha256 ${sha256(textOf(name))}`);
    }
    for (const name of names) await changes[name]?.(file(name));
    await Promise.all(pending.map(({ id }) => stack.cli(['approve', id])));
    const ends = await Promise.all(typing.map(({ ended }) => ended));
    const told = ({ code, stdout, stderr }: Typed) => [code, stdout.toString(), stderr];
    expect(ends.map(told)).toEqual([
      [0, 'done\n', ''],
      ...names.slice(1).map((name) => [1, '', refusalOf(name)]),
    ]);
    expect(await ran()).toBe('same.sh\n');
    await expectRecords(shell, pending.find(({ plan }) => plan.argv[1] === 'same.sh')?.id ?? '');
  });

  const refusalOf = (name: string) => `clawrden: operand-changed: ${name} is not what was approved\n`;

  async function expectRecords(shell: string, approval: string): Promise<void> {
    const [verdict] = await untilAudited(stack, 'verdict', (line) => line.approval === approval);
    const same = (line: AuditLine) => line.execution === verdict?.execution;
    for (const record of ['inspection', 'start']) {
      expect(await untilAudited(stack, record, same)).toMatchObject([
        { operands: [seenOf(shell, 'same.sh')], planHash: verdict?.planHash },
      ]);
    }
    const { stdout } = await stack.cli(['show', String(verdict?.execution)]);
    expect(unfold(stdout)).toContain(`"same.sh" is "/app/same.sh", sha256 ${sha256(textOf('same.sh'))}`);
  }

  test.each(strategies)(
    'P9: by $strategy, one that nobody is asked about is in the record',
    async ({ shell }) => {
      const text = `echo ${shell}\n`;
      await writeFile(file('known'), text);
      const { code, stdout } = await typed(agent(), [shell, 'known']);
      expect([code, stdout.toString()]).toEqual([0, `${shell}\n`]);
      const notHeld = shell === 'ash' ? 'the agent can change it' : 'nobody was asked about it';
      const known = JSON.stringify({ path: 'known', digest: sha256(text), file: '/app/known', notHeld });
      const is = ({ operands }: AuditLine) => JSON.stringify(operands) === `[${known}]`;
      const [start] = await untilAudited(stack, 'start', is);
      const shown = unfold((await stack.cli(['show', String(start?.execution)])).stdout);
      expect(shown).toContain(`"known" is "/app/known", sha256 ${sha256(text)}`);
    },
  );
});

/** A page as if it had no right edge. */
function unfold(page: string): string {
  return page.replaceAll('\\\n  \\ ', '');
}
