import { constants } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import type { TimedStep } from './between-steps.ts';
import { pairWithSteps } from './carrier-pair.ts';
import { fileSystems } from './carrier-process.ts';

const [under] = fileSystems;
type Failing = Pick<TimedStep, 'what' | 'path'> & Partial<TimedStep>;
const failing = (...steps: Failing[]) => steps.map((step) => ({ at: constants.errno.EIO, ...step }));
/** What an exchange ends with if home has one of these and cannot read it. */
export const unread = (paths: string, code = 'workspace-unread') => ({
  ...{ code, isOver: false },
  text: expect.stringMatching(`^(${paths}) cannot be read$`),
});

/** A pair; what makes each of its disks fail; its exchanges. */
export async function failingPair() {
  const { pair, steps } = await pairWithSteps(under);
  const { homePlace, replicaPlace } = pair;
  /** Of the home that runs: it may have been started again. */
  const homeSteps = () => steps[2] ?? steps[0];
  return {
    pair,
    homeSteps,
    inHome: (path: string) => join(homePlace.root, path),
    there: (path: string) => join(replicaPlace.root, path),
    send: () => sendOut(pair.home.session, pair.replica.session),
    bring: () => bringHome(pair.home.session, pair.replica.session),
    homeFails: (...what: Parameters<typeof failing>) => homeSteps()?.set('/', failing(...what)),
    replicaFails: (...what: Parameters<typeof failing>) => steps[1]?.set('/', failing(...what)),
  };
}
