import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Hello } from '../../../src/carrier-client/hello.ts';
import { CarrierProcess, carrierBuilds, fileSystems, makePlace, type Place } from './carrier-process.ts';
import { agent, isRoot, toAgent } from './jailed-place.ts';

/** As an engine does it: the workspace is a mount, and the carrier is the agent from its first instruction. */
class Container implements Disposable {
  readonly place: Place = makePlace(fileSystems[1]);
  readonly point = join(this.place.folder, 'w');

  constructor() {
    chmodSync(this.place.folder, 0o755);
    mkdirSync(this.point);
    writeFileSync(join(this.place.root, 'file'), 'x');
    toAgent(this.place.root);
  }

  start(carrier: string, over: Partial<Hello> = {}, uid: number = agent.uid, how = 'mount --bind') {
    const become = `exec setpriv --reuid ${uid} --regid ${uid} --clear-groups "$0"`;
    const script = `${how} "${this.place.root}" "${this.point}" && ${become}`;
    const seen = { root: this.point, area: join(this.point, '.clawrden') };
    const wrapper = ['unshare', '--mount', 'sh', '-c', script];
    return CarrierProcess.start(carrier, seen, { contained: true, ...agent, ...over }, wrapper);
  }

  [Symbol.dispose](): void {
    this.place[Symbol.dispose]();
  }
}

describe.runIf(isRoot).each(carrierBuilds)('a carrier at home in a container ($name)', ({ carrier }) => {
  test('A-96: has a jail, and sees its workspace moved away, though its own path stays as it is', async () => {
    using box = new Container();
    const { root } = box.place;
    await using home = await box.start(carrier);
    expect(home.first).toMatchObject({ unconfined: false, lost: false, entries: 2 });
    renameSync(root, `${root}.away`);
    expect((await home.session.settle()).lost).toBe(true);
    renameSync(`${root}.away`, root);
    expect((await home.session.settle()).lost).toBe(false);
    rmSync(root, { recursive: true });
    await expect(home.session.settle()).resolves.toMatchObject({ lost: true });
  });

  test('says that it has none if nobody shut it in', async () => {
    using box = new Container();
    await using home = await box.start(carrier, { contained: false });
    expect(home.first.unconfined).toBe(true);
  });

  test.each([
    ['root', { uid: 0, gid: 0 }, 0],
    ['root, which is to become the agent', {}, 0],
    ['another user than the agent', {}, 1001],
  ])('is refused as %s', async (_who, over, uid) => {
    using box = new Container();
    await expect(box.start(carrier, over, uid)).rejects.toThrow('it must be the agent from the start');
  });

  test('is refused if the workspace is no mount of its own', async () => {
    using box = new Container();
    const started = box.start(carrier, {}, agent.uid, 'chown 1000');
    await expect(started).rejects.toThrow('/proc does not tell what is mounted');
  });
});
