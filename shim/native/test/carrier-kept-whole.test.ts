import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { becomeHome, bringHome, keepBesideHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly } from './carrier-process.ts';
import { ended, startWriter } from './endless-writer.ts';
import { agent, isRoot, toAgent } from './jailed-place.ts';

/** Their names are more than a carrier tells of one exchange. */
const many = 2600;
const nameOf = (number: number) => `${number}`.padStart(200, 'x');

describe.each(buildsOrOnly('static'))('what home did not take ($name)', ({ carrier, under }) => {
  test('A-334: what was written after it was asked is not overwritten', async () => {
    await using pair = await Pair.make(carrier, under);
    const [home, replica] = [pair.home.session, pair.replica.session];
    await sendOut(home, replica);
    const path = join(pair.replicaPlace.root, 'late');
    writeFileSync(path, 'first');
    const there = await replica.settle();
    await keepBesideHome(home, replica, { there });
    writeFileSync(path, 'then');
    await expect(becomeHome(home, replica, { there })).rejects.toMatchObject({ code: 'unstable' });
    expect(readFileSync(path, 'utf8')).toBe('then');
    await pair.setAside();
    expect([existsSync(path), pair.difference]).toEqual([false, '']);
  });

  test('A-334: of a file that changes while it is read nothing is kept, and nothing is said to be', async () => {
    await using pair = await Pair.make(carrier, '/dev/shm');
    const [home, replica] = [pair.home.session, pair.replica.session];
    await sendOut(home, replica);
    const path = join(pair.replicaPlace.root, 'late');
    writeFileSync(path, Buffer.alloc(16 << 20));
    const writer = await startWriter(path);
    onTestFinished(() => ended(writer));
    await expect(keepBesideHome(home, replica)).rejects.toMatchObject({ code: 'unstable', role: 'replica' });
    await ended(writer);
    expect(existsSync(join(pair.homePlace.area, 'kept'))).toBe(false);
    const applied = await keepBesideHome(home, replica);
    expect(applied?.refused.find((one) => one.path.equals(Buffer.from('late')))?.kept).toBeDefined();
  });

  describe.runIf(isRoot)('in a folder that the agent may not write', () => {
    /** Home has `c`, and `d` of root's; what a tool does in both is to come home. */
    async function made() {
      const pair = await Pair.make(carrier, under, agent, ({ folder }) => {
        toAgent(folder);
        return [];
      });
      const [here, there] = [pair.homePlace.root, pair.replicaPlace.root];
      for (const name of ['c', 'd']) mkdirSync(join(here, name), { mode: 0o755 });
      chownSync(join(here, 'c'), agent.uid, agent.gid);
      await sendOut(pair.home.session, pair.replica.session);
      return { pair, here, there, home: pair.home.session, replica: pair.replica.session };
    }

    test('A-335: of more than can be told nothing counts as home’s: it comes once home can take it', async () => {
      const { pair, here, there, home, replica } = await made();
      await using _ = pair;
      for (let number = 0; number < many; number++) writeFileSync(join(there, 'd', nameOf(number)), '');
      const brought = await bringHome(home, replica);
      const { refused, refusedCount } = brought!.exchanged.applied;
      expect(refused.length).toBeLessThan(refusedCount);
      expect(brought!.state.unstable.length).toBeGreaterThan(0);
      expect((await replica.settle()).dirty).toBeGreaterThanOrEqual(many);
      chownSync(join(here, 'd'), agent.uid, agent.gid);
      await bringHome(home, replica);
      expect(readdirSync(join(here, 'd'))).toHaveLength(many);
    });

    test('A-335: what is to come again is told before all conflicts', async () => {
      const { pair, here, there, home, replica } = await made();
      await using _ = pair;
      for (let number = 0; number < many; number++) {
        writeFileSync(join(here, 'c', nameOf(number)), 'agent');
        writeFileSync(join(there, 'c', nameOf(number)), 'tool');
      }
      writeFileSync(join(there, 'd', 'file'), '');
      const brought = await bringHome(home, replica);
      const { refused, refusedCount } = brought!.exchanged.applied;
      expect(refused.length).toBeLessThan(refusedCount);
      expect(brought!.state).toMatchObject({ unstable: [Buffer.from('d/file')] });
      chownSync(join(here, 'd'), agent.uid, agent.gid);
      await bringHome(home, replica);
      expect(readdirSync(join(here, 'd'))).toEqual(['file']);
    });
  });

  test('A-336: what cannot be kept is not said to be: nothing of it is kept, and it can be once there is room', async () => {
    await using pair = await Pair.make(carrier, under);
    const [home, replica] = [pair.home.session, pair.replica.session];
    await sendOut(home, replica);
    for (const name of ['a', 'b']) writeFileSync(join(pair.replicaPlace.root, name), name);
    const kept = join(pair.homePlace.area, 'kept');
    rmSync(kept, { recursive: true, force: true });
    writeFileSync(kept, 'no folder');
    await expect(keepBesideHome(home, replica)).rejects.toMatchObject({
      code: 'workspace-full',
      isOver: false,
    });
    rmSync(kept);
    const applied = await keepBesideHome(home, replica);
    const paths = (applied?.refused ?? [])
      .filter((one) => one.kept !== undefined)
      .map(({ path }) => path.toString());
    expect(paths.sort()).toEqual(['a', 'b']);
  });
});
