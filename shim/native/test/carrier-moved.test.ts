import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CarrierFrame } from '../../../src/carrier-client/carrier-frame.ts';
import type { CarrierSession } from '../../../src/carrier-client/carrier-session.ts';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { Pair } from './carrier-pair.ts';
import { buildsOrOnly } from './carrier-process.ts';

const size = 3 * 2 ** 20 + 5;

/** Counts the bytes of files that come to a carrier. */
function countBytes(session: CarrierSession): () => number {
  const put = session.put.bind(session);
  let bytes = 0;
  session.put = (frame) => {
    if (frame.type === CarrierFrame.chunk) bytes += frame.payload.length - 12;
    return put(frame);
  };
  return () => bytes;
}

describe.each(buildsOrOnly('sanitized'))(
  'a large file that was moved ($name, $under)',
  ({ carrier, under }) => {
    test('is copied where it arrives, both ways, and does not travel', async () => {
      await using pair = await Pair.make(carrier, under);
      const { home, replica, homePlace, replicaPlace } = pair;
      mkdirSync(join(homePlace.root, 'd'));
      writeFileSync(join(homePlace.root, 'd', 'large'), randomBytes(size));
      const out = countBytes(replica.session);
      const back = countBytes(home.session);
      await sendOut(home.session, replica.session);
      expect(out()).toBe(size);
      renameSync(join(homePlace.root, 'd'), join(homePlace.root, 'e'));
      await sendOut(home.session, replica.session);
      renameSync(join(replicaPlace.root, 'e', 'large'), join(replicaPlace.root, 'moved'));
      await bringHome(home.session, replica.session);
      expect([out(), back(), pair.difference]).toEqual([size, 0, '']);
    });

    test('travels if what is there under the old name is another by now', async () => {
      await using pair = await Pair.make(carrier, under);
      const { home, replica, homePlace, replicaPlace } = pair;
      writeFileSync(join(homePlace.root, 'large'), randomBytes(size));
      await sendOut(home.session, replica.session);
      writeFileSync(join(replicaPlace.root, 'large'), randomBytes(size));
      renameSync(join(homePlace.root, 'large'), join(homePlace.root, 'moved'));
      const out = countBytes(replica.session);
      await sendOut(home.session, replica.session);
      expect(out()).toBe(size);
      await bringHome(home.session, replica.session);
      await sendOut(home.session, replica.session);
      expect(pair.difference).toBe('');
    });
  },
);
