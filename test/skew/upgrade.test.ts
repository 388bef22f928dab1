import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkRefused } from '../../src/cli/set-up/doctor/check-refused.ts';
import { lifePolicy, listed, shells } from '../e2e/life.ts';
import { type Typing, type, typed } from '../e2e/typed.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { launcher } from '../stack/launcher.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { earlierLauncher, release, whyNoEarlierRelease } from './earlier-release.ts';

const missing = await whyNoEarlierRelease();
const note = missing && ` (skipped: ${missing})`;

/** Who is asked to end waits for what runs, 30 s at most, and cancels it. */
const stop =
  process.env.CLAWRDEN_LONG === '1'
    ? ({ signal: 'SIGTERM', gateway: /^clawrden: canceled: /, relay: /^clawrden: canceled: / } as const)
    : ({
        signal: 'SIGKILL',
        gateway: /^clawrden: gateway-lost: /,
        relay: /^clawrden: relay-lost: /,
      } as const);

// One story: each test goes on where the one before ended.
describe.skipIf(!hasLab() || missing !== '')(
  `an upgrade from ${release.slice(0, 8)}${note}`,
  { retry: 0 },
  () => {
    const launchers = { gateway: launcher, relay: launcher };
    let earlier: string;
    let stack: Stack;
    const state = (file: string) => join(stack.dir, 'warden', file);
    const start = (shell: string, script: string): Promise<Typing> =>
      type(stack.agents.coder!, [shell, script]);

    beforeAll(async () => {
      earlier = await earlierLauncher();
      Object.assign(launchers, { gateway: earlier, relay: earlier });
      stack = await startStack(sharedLab(), {
        ...{ name: 'skew', policy: lifePolicy(), launchers },
        agents: { coder: {}, follower: { followed: {} } },
      });
      await expectRuns('before');
    }, 600_000);
    afterAll(() => stack?.stop());
    let isBroken = false;
    beforeEach(({ skip }) => skip(isBroken, 'the story broke off before'));
    afterEach(({ task }) => {
      isBroken ||= task.result?.state === 'fail';
    });

    /** Both strategies work, with both outputs and the exit code. */
    async function expectRuns(word: string): Promise<void> {
      for (const { shell } of shells) {
        const ran = await typed(stack.agents.coder!, [shell, `echo ${word}; echo err >&2; exit 7`]);
        expect({ ...ran, stdout: ran.stdout.toString() }).toMatchObject({
          ...{ code: 7, stdout: `${word}\n`, stderr: 'err\n' },
        });
      }
      await expectFollows(word);
    }

    /** What the agent wrote is where its tool runs, and what the tool wrote is at home. */
    async function expectFollows(word: string): Promise<void> {
      const home = stack.workspaceOf('follower');
      await writeFile(join(home, 'asked'), word);
      const ran = await typed(stack.agents.follower!, [
        'ghostly',
        'cat asked; echo "$(cat asked), told" >told',
      ]);
      expect({ ...ran, stdout: ran.stdout.toString() }).toMatchObject({ code: 0, stdout: word });
      expect(await readFile(join(home, 'told'), 'utf8')).toBe(`${word}, told\n`);
    }

    /** One of each strategy, said to run. */
    async function running(): Promise<Typing[]> {
      const all = await Promise.all(shells.map(({ shell }) => start(shell, 'echo on; sleep 300')));
      await Promise.all(all.map((each) => each.said('on')));
      return all;
    }

    async function expectEnds(all: readonly Typing[], code: RegExp): Promise<void> {
      for (const { ended } of all)
        expect(await ended).toMatchObject({ code: 125, stderr: expect.stringMatching(code) });
    }

    test('the gateway first: what runs in it ends with its code, its database goes forward and a copy stays', async () => {
      const all = await running();
      await stack.gateway.end(stop.signal);
      await expectEnds(all, stop.gateway);
      launchers.gateway = launcher;
      await stack.startGateway();
      expect(existsSync(state('clawrden.db.before-upgrade'))).toBe(true);
      const before = await listed(stack, 'history');
      expect(before.map(({ outcome }) => outcome).filter((outcome) => outcome === 'exited')).toHaveLength(3);
    });

    test('the earlier shim and relay work with it, also for a workspace that is followed', () =>
      expectRuns('between'));

    test('then the relay: what it serves ends with its code, and the next one serves again', async () => {
      const all = await running();
      await stack.relay.end(stop.signal);
      await expectEnds(all, stop.relay);
      launchers.relay = launcher;
      await stack.startRelay();
      await expectRuns('after');
    });

    test('the way back: an earlier gateway starts with the copy alone, and refuses nothing silently', async () => {
      await stack.gateway.end('SIGTERM');
      launchers.gateway = earlier;
      await expect(stack.startGateway()).rejects.toThrow('a later version has written it');
      for (const file of ['clawrden.db-wal', 'clawrden.db-shm']) await rm(state(file), { force: true });
      await rename(state('clawrden.db.before-upgrade'), state('clawrden.db'));
      await stack.startGateway();
      const before = await listed(stack, 'history');
      expect(
        before.map(({ outcome }) => outcome).filter((outcome) => outcome === 'exited').length,
      ).toBeGreaterThan(1);
    });

    test('a relay that needs more than its gateway has runs nothing, and says what to do', async () => {
      for (const { shell } of shells) {
        const ran = await typed(stack.agents.coder!, [shell, 'echo ran']);
        expect(ran).toMatchObject({
          code: 125,
          stderr: expect.stringMatching(/^clawrden: gateway-older: .*upgrade the gateway first/),
        });
        expect(ran.stdout.toString()).toBe('');
      }
      expect(await readFile(stack.relay.log, 'utf8')).toContain('upgrade the gateway first');
      const relayState = { state: join(stack.dir, 'relay/state') };
      expect(await checkRefused(relayState)).toMatchObject([
        { level: 'error', text: expect.stringContaining('upgrade the gateway first') },
      ]);
      await stack.gateway.end('SIGTERM');
      launchers.gateway = launcher;
      await stack.startGateway();
      // The relay asks the gateway again after some seconds.
      await expect
        .poll(async () => (await typed(stack.agents.coder!, ['ghostly', 'exit 7'])).code, { interval: 500 })
        .toBe(7);
      await expectRuns('again');
      expect(await checkRefused(relayState)).toEqual([]);
    });
  },
);
