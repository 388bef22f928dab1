import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BetweenSteps } from './between-steps.ts';
import { CarrierProcess, makePlace } from './carrier-process.ts';
import { agent, isRoot, toAgent } from './jailed-place.ts';

test.runIf(isRoot)(
  'A-311 P13: in the workspace the folder of a carrier that is the agent leads it to no file of the host',
  async () => {
    using place = makePlace();
    using steps = new BetweenSteps(place.folder);
    const outside = join(place.folder, 'outside');
    const stage = join(place.root, '.clawrden', 'stage');
    mkdirSync(outside);
    toAgent(place.folder);
    chmodSync(outside, 0o755);
    const asAgent = ['setpriv', `--reuid=${agent.uid}`, `--regid=${agent.gid}`, '--clear-groups'];
    await using home = await CarrierProcess.start(
      BetweenSteps.carrier,
      { root: place.root, area: join(place.root, '.clawrden') },
      agent,
      [...steps.wrapper, ...asAgent],
    );
    expect(home.first.unconfined).toBe(true);
    let calls = 0;
    for (let at = 0; at <= calls; at++) {
      // One of the links is still there when the folder is removed, whatever the order in which names are read.
      mkdirSync(stage, { recursive: true });
      symlinkSync(outside, join(stage, 'before'));
      mkdirSync(join(stage, 'closed'));
      symlinkSync(outside, join(stage, 'behind'));
      toAgent(stage);
      chmodSync(join(stage, 'closed'), 0);
      const swaps = ['before', 'behind'].map((to) => ({ at, what: 'swap', path: 'closed', to }) as const);
      steps.set(stage, swaps);
      await home.session.abort();
      calls = steps.calls;
      steps.set(stage, []);
      expect([at, statSync(outside).mode & 0o777]).toEqual([at, 0o755]);
    }
    expect(calls).toBeGreaterThan(5);
  },
);
