import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type AuditLine, type Stack, startStack } from '../stack/start-stack.ts';
import { lifePolicy, listed, shells, untilAsked, untilAudited } from './life.ts';
import { type Typing, type, typed } from './typed.ts';

const long = process.env.CLAWRDEN_LONG === '1';

describe.skipIf(!hasLab())('a command that a person is asked about', () => {
  let stack: Stack;
  let asked = 0;

  beforeAll(async () => {
    stack = await startStack(sharedLab(), { name: 'asked', policy: lifePolicy(), agents: { asker: {} } });
  });
  afterAll(() => stack?.stop());

  /** Runs a command that notes each of its starts in a file. */
  async function ask(shell: string): Promise<{ typing: Typing; id: string; starts: () => Promise<number> }> {
    asked += 1;
    const file = `canary-${asked}`;
    const typing = await type(stack.agents.asker!, [shell, `: ask; echo ran >> ${file}; exit 5`]);
    const starts = async () => {
      const text = await readFile(join(stack.workspaceOf('asker'), file), 'utf8').catch(() => '');
      return text.split('ran').length - 1;
    };
    return { typing, id: await untilAsked(stack), starts };
  }

  const untilNothingPending = () =>
    waitUntil('the question to go', 10_000, async () => (await listed(stack, 'pending')).length === 0);

  test.each(shells)('runs by $strategy once it is approved, once', async ({ shell }) => {
    const { typing, id, starts } = await ask(shell);
    expect(await starts()).toBe(0);
    expect((await stack.cli(['approve', id, '--reason', 'fine'])).code).toBe(0);
    expect(await typing.ended).toMatchObject({ code: 5, stderr: '' });
    expect(await starts()).toBe(1);
    expect(await stack.cli(['approve', id])).toMatchObject({ code: 1 });
    expect(await starts()).toBe(1);
  });

  test.each(shells)('is refused by $strategy once it is denied', async ({ shell }) => {
    const { typing, id, starts } = await ask(shell);
    expect((await stack.cli(['deny', id, '--reason', 'not today'])).code).toBe(0);
    const { code, stderr } = await typing.ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^clawrden: denied-by-person: .*not today\n$/)]);
    expect((await stack.cli(['approve', id])).code).toBe(1);
    expect(await starts()).toBe(0);
  });

  test.each(['SIGKILL', 'SIGINT'] as const)(
    'A-45: %s of the shim while it waits: an approval starts nothing',
    async (signal) => {
      const { typing, id, starts } = await ask('ghostly');
      await typing.signal(signal);
      expect(await typing.ended).toMatchObject({ signal });
      await untilNothingPending();
      const late = await stack.cli(['approve', id]);
      expect(late.code).toBe(1);
      expect(late.stderr).toMatch(/requester is gone/);
      await untilAudited(stack, 'verdict', ({ approval, verdict }) => approval === id && verdict === 'void');
      expect(await starts()).toBe(0);
    },
  );

  test.each([
    ['dies', 'ghost', 'ghostly', 'SIGKILL'],
    ['ends', 'mirror', 'mirrored', 'SIGTERM'],
  ] as const)(
    'A-46: the gateway %s while a %s waits: it still needs the approval, and runs once',
    async (_how, _strategy, shell, signal) => {
      const { typing, id, starts } = await ask(shell);
      const began = performance.now();
      await stack.gateway.end(signal);
      expect(performance.now() - began).toBeLessThan(5000);
      await stack.startGateway();
      expect(await listed(stack, 'pending')).toMatchObject([{ id }]);
      expect(await starts()).toBe(0);
      expect((await stack.cli(['approve', id])).code).toBe(0);
      expect(await typing.ended).toMatchObject({ code: 5, stderr: '' });
      expect(await starts()).toBe(1);
    },
  );

  test('A-46: a shim is not held for ever', { timeout: 90_000 }, async ({ skip }) => {
    skip(!long, 'it waits for a minute: scripts/test --long');
    const { typing, starts } = await ask('ghostly');
    const began = performance.now();
    await stack.gateway.end('SIGKILL');
    const { code, stderr } = await typing.ended;
    expect([code, stderr]).toEqual([125, expect.stringMatching(/^clawrden: gateway-/)]);
    expect(performance.now() - began).toBeLessThan(35_000);
    await stack.startGateway();
    await waitUntil(
      'the question to be void',
      40_000,
      async () => (await listed(stack, 'pending')).length === 0,
    );
    expect(await starts()).toBe(0);
  });

  test('A-46: the relay dies while it waits: the approval is kept and starts nothing', {
    timeout: 90_000,
  }, async () => {
    const { typing, id, starts } = await ask('ghostly');
    await stack.relay.end('SIGKILL');
    expect(await typing.ended).toMatchObject({ code: 125 });
    await stack.startRelay();
    expect((await stack.cli(['approve', id])).code).toBe(0);
    const [verdict] = await untilAudited(stack, 'verdict', ({ approval }) => approval === id);
    const isGone = ({ execution, reason }: AuditLine) =>
      execution === verdict?.execution && reason === 'requester-gone';
    // Its caller may come back for 30 s.
    if (long) await untilAudited(stack, 'outcome', isGone, { withinMs: 60_000 });
    expect(await starts()).toBe(0);
  });

  test('A-41: expires, and an approval that comes later starts nothing', async () => {
    await stack.gateway.end('SIGTERM');
    await writeFile(join(stack.dir, 'warden', 'policy.yaml'), lifePolicy({ expires: '2s' }));
    await stack.startGateway();
    await typed(stack.agents.asker!, ['mirrored', 'true']);
    const typing = await type(stack.agents.asker!, ['ghostly', ': ask; echo ran']);
    const { code, stdout, stderr, ms } = await typing.ended;
    expect([code, stdout.toString()]).toEqual([1, '']);
    expect(stderr).toMatch(/^clawrden: approval-expired: /);
    expect(ms).toBeLessThan(5000);
    const [expired] = await untilAudited(stack, 'verdict', ({ verdict }) => verdict === 'expired');
    expect((await stack.cli(['approve', String(expired?.approval)])).code).toBe(1);
  });
});
