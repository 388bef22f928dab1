import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CarrierSession } from '../../../src/carrier-client/carrier-session.ts';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import type { Applied, BeginOptions, ChangesQuery } from '../../../src/carrier-client/exchange-frames.ts';
import { pairWithSteps } from './carrier-pair.ts';
import { fileSystems, type Place } from './carrier-process.ts';

/** Calls of a commit: what is taken out goes back, or cannot, within the first of them. */
const calls = process.env['CLAWRDEN_LONG'] === '1' ? 60 : 14;

interface Exchange {
  readonly from: CarrierSession;
  readonly to: CarrierSession;
  readonly query: ChangesQuery;
  readonly begin: BeginOptions;
}

/** An exchange with something that happens between its judgement and its moves. */
async function exchange({ from, to, query, begin }: Exchange, meanwhile: () => void): Promise<Applied> {
  await to.begin(begin);
  await from.changes(query, (frame) => to.put(frame));
  await to.verify();
  meanwhile();
  return to.commit();
}

function makeFolder({ root }: Place, folder: string): void {
  writeFileSync(join(root, 'stays'), '');
  mkdirSync(join(root, folder));
  for (const name of ['x', 'y']) writeFileSync(join(root, folder, name), 'base');
}

const tools = [
  { name: 'deleted', change: (path: string) => rmSync(path, { recursive: true }), kept: undefined },
  {
    name: 'replaced by a file',
    change: (path: string) => {
      rmSync(path, { recursive: true });
      writeFileSync(path, 'tool');
    },
    kept: 'tool',
  },
];

describe('what is taken out of a tree, changed, and cannot go back', () => {
  test.each(tools)(
    'A-380 P13: a folder that the tool $name is kept at home, whenever another is made',
    async (tool) => {
      const { pair, steps } = await pairWithSteps(fileSystems[0]);
      await using _pair = pair;
      const { home, replica, homePlace, replicaPlace } = pair;
      const keptAt = (kept = 'none') => join(homePlace.area, 'kept', kept);
      let couldNot = 0;
      for (let call = 0; call <= calls; call++) {
        const folder = `d${call}`;
        makeFolder(homePlace, folder);
        await sendOut(home.session, replica.session);
        tool.change(join(replicaPlace.root, folder));
        const begin = { version: (await replica.session.settle()).at };
        const sides = { from: replica.session, to: home.session };
        const { refused } = await exchange({ ...sides, query: { of: 'dirty' }, begin }, () => {
          appendFileSync(join(homePlace.root, folder, 'x'), ` and agent ${call}`);
          steps[0]?.set(homePlace.root, [{ at: call, what: 'make', path: folder }]);
        });
        steps[0]?.set(homePlace.root, []);
        const replaced = refused.find(({ why }) => why === 'replaced');
        const place = replaced ? keptAt(replaced.kept) : join(homePlace.root, folder);
        expect([call, readFileSync(join(place, 'x'), 'utf8')]).toEqual([call, `base and agent ${call}`]);
        const conflict = refused.find(({ why, path }) => why === 'conflict' && path.toString() === folder);
        if (tool.kept !== undefined) expect(readFileSync(keptAt(conflict?.kept), 'utf8')).toBe(tool.kept);
        couldNot += replaced ? 1 : 0;
        await bringHome(home.session, replica.session);
        await sendOut(home.session, replica.session);
        expect([call, pair.difference]).toEqual([call, '']);
      }
      expect(couldNot).toBeGreaterThan(0);
    },
  );

  test('A-380 P13: so is a file of a folder that a replica empties in part', async () => {
    const { pair, steps } = await pairWithSteps(fileSystems[0]);
    await using _pair = pair;
    const { home, replica, homePlace, replicaPlace } = pair;
    let couldNot = 0;
    for (let call = 0; call <= calls; call++) {
      const folder = `d${call}`;
      const file = join(replicaPlace.root, folder, 'x');
      makeFolder(homePlace, folder);
      await sendOut(home.session, replica.session);
      const since = (await replica.session.settle()).at;
      rmSync(join(homePlace.root, folder), { recursive: true });
      writeFileSync(join(replicaPlace.root, folder, 'new'), 'tool');
      const { version } = await home.session.settle();
      const sides = {
        from: home.session,
        to: replica.session,
        query: { of: 'since', version: since },
      } as const;
      const { refused } = await exchange({ ...sides, begin: { version } }, () => {
        appendFileSync(file, ' and tool');
        steps[1]?.set(replicaPlace.root, [{ at: call, what: 'write', path: `${folder}/x` }]);
      });
      steps[1]?.set(replicaPlace.root, []);
      const replaced = refused.find(({ why }) => why === 'replaced');
      const place = replaced ? join(replicaPlace.area, 'kept', replaced.kept ?? 'none', 'x') : file;
      expect([call, readFileSync(place, 'utf8').slice(0, 13)]).toEqual([call, 'base and tool']);
      couldNot += replaced ? 1 : 0;
      await bringHome(home.session, replica.session);
      await sendOut(home.session, replica.session);
      expect([call, pair.difference]).toEqual([call, '']);
    }
    expect(couldNot).toBeGreaterThan(0);
  });
});
