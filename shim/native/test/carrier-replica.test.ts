import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bringHome, sendOut } from '../../../src/carrier-client/exchange.ts';
import { difference, Pair } from './carrier-pair.ts';
import { CarrierProcess, carrierBuilds, fileSystems, helloOf, makePlace } from './carrier-process.ts';
import { everyKind } from './every-kind.ts';

describe.each(carrierBuilds)('the tree of a replica ($name)', ({ carrier }) => {
  test('is made if it is not there yet', async () => {
    using place = makePlace();
    rmSync(place.root, { recursive: true });
    await using replica = await CarrierProcess.start(carrier, place, { role: 'replica' });
    expect(replica.first).toMatchObject({ remembered: false, entries: 1, at: { epoch: 0n } });
  });

  test('that is gone is not one in which everything was deleted: nothing goes from home', async () => {
    await using pair = await Pair.make(carrier, fileSystems[0]);
    writeFileSync(join(pair.homePlace.root, 'file'), 'kept');
    await sendOut(pair.home.session, pair.replica.session);
    pair.replica.session.end();
    await pair.replica.exited();
    rmSync(pair.replicaPlace.root, { recursive: true });
    await pair.again('replica', 'end');
    expect(await bringHome(pair.home.session, pair.replica.session)).toBeUndefined();
    await sendOut(pair.home.session, pair.replica.session);
    expect(pair.difference).toBe('');
    expect(readFileSync(join(pair.replicaPlace.root, 'file'), 'utf8')).toBe('kept');
  });

  test('with the capabilities of its container it becomes exactly what home is', async () => {
    using place = makePlace();
    using homePlace = makePlace();
    everyKind(homePlace.root);
    await using home = await CarrierProcess.start(carrier, homePlace);
    // Those of `gateway/docker/replica/carrier-body.ts`.
    const only = '-all,+chown,+dac_override,+fowner,+fsetid';
    await using replica = new CarrierProcess(carrier, ['setpriv', '--no-new-privs', '--bounding-set', only]);
    await replica.session.ready(helloOf(place, { role: 'replica' }));
    const sent = await sendOut(home.session, replica.session);
    expect(sent?.applied).toMatchObject({ tree: sent?.sent.tree, refusedCount: 0 });
    expect(difference(homePlace, place)).toBe('');
  });

  test('is not made at home', async () => {
    using place = makePlace();
    rmSync(place.root, { recursive: true });
    await expect(CarrierProcess.start(carrier, place)).rejects.toThrow('workspace-missing');
  });
});
