import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { createHomes, type Homes } from '../../gateway/workspaces/homes.ts';
import { makePlace } from '../../shim/native/test/carrier-process.ts';
import { CarrierFrame } from '../../src/carrier-client/carrier-frame.ts';
import { encodeFrame } from '../../src/wire/frames.ts';
import { carryFrom, openLane, statusOf } from './carry-from.ts';
import { admin, relay, startTestGateway, type TestGateway } from './gateway.ts';

const never = new AbortController().signal;
const kept = { relay: 'host-7', kind: 'bind', source: '/srv/coder' } as const;

interface Following extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly homes: Homes;
  /** What was told of lanes that were refused. */
  readonly refused: readonly string[];
}

/** A gateway that follows the workspace of `coder`, which relay host-7 keeps. */
async function startFollowing(waitMs = 10_000): Promise<Following> {
  const refused: string[] = [];
  const homes = createHomes({
    placeOf: (agent) => (agent === 'coder' ? kept : undefined),
    onRefused: (relayName, _agent, why) => void refused.push(`${relayName}: ${why}`),
    waitMs,
  });
  const gateway = await startTestGateway({ offerHome: homes.offer });
  return { gateway, homes, refused, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

test('the gateway sees through a lane what was written at home before it asked', async () => {
  await using following = await startFollowing();
  const { gateway, homes } = following;
  using place = makePlace();
  const client = await gateway.connect(relay);
  await using _lane = carryFrom(client, place);
  const before = await homes.use('coder', (home) => home.settle(), never);
  for (let count = 0; count < 50; count++) {
    writeFileSync(join(place.root, `file-${count}`), Buffer.alloc(100_000, count));
  }
  const after = await homes.use('coder', (home) => home.settle(), never);
  expect(after.entries).toBe(before.entries + 50);
  let bytes = 0;
  const query = { of: 'since', version: before.version } as const;
  await homes.use(
    'coder',
    (home) => home.changes(query, ({ payload }) => void (bytes += payload.length)),
    never,
  );
  expect(bytes).toBeGreaterThan(50 * 100_000);
});

test.each([
  ['P5: another relay cannot carry for an agent', { kind: 'relay', name: 'host-8' }, 'coder'],
  ['P5: an agent that nobody follows has no lane', relay, 'writer'],
  ['P5: an agent that does not exist has no lane', relay, 'x'.repeat(10_000)],
  ['P5: an operator carries nothing', admin, 'coder'],
] as const)('%s', async (_what, peer, agent) => {
  await using following = await startFollowing();
  const client = await following.gateway.connect(peer);
  const { ended } = openLane(client, agent);
  expect(await ended).toMatchObject({ code: status.PERMISSION_DENIED });
  expect((await ended).details.length).toBeLessThan(200);
  if (peer.kind === 'relay') expect(following.refused).toEqual([`${peer.name}: ${(await ended).details}`]);
});

test.each([
  ['another folder', { $case: 'bind', value: '/srv/other' }],
  ['a volume of that name', { $case: 'volume', value: '/srv/coder' }],
] as const)('A-562: a relay that still has its carrier at %s has no lane', async (_what, home) => {
  await using following = await startFollowing();
  const { ended } = openLane(await following.gateway.connect(relay), 'coder', home);
  const details = expect.stringContaining('has another workspace now');
  expect(await ended).toMatchObject({ code: status.PERMISSION_DENIED, details });
  expect(following.refused).toEqual([]);
});

test('A-562: one that has it where the gateway means has one', async () => {
  await using following = await startFollowing();
  using root = makePlace();
  const client = await following.gateway.connect(relay);
  await using _lane = carryFrom(client, root, 'coder', { $case: 'bind', value: '/srv/coder' });
  expect((await following.homes.use('coder', (home) => home.settle(), never)).entries).toBe(1);
});

test('of two lanes the newer counts, and the older ends', async () => {
  await using following = await startFollowing();
  const { gateway, homes } = following;
  using place = makePlace();
  const client = await gateway.connect(relay);
  await using first = carryFrom(client, place);
  await homes.use('coder', (home) => home.settle(), never);
  using other = makePlace();
  writeFileSync(join(other.root, 'only here'), '');
  await using _second = carryFrom(client, other);
  expect(await first.ended).toMatchObject({ code: status.ABORTED });
  expect((await homes.use('coder', (home) => home.settle(), never)).entries).toBe(2);
});

test('a lane that is cut ends what uses it, and the next lane takes over', async () => {
  await using following = await startFollowing();
  const { gateway, homes } = following;
  using place = makePlace();
  const client = await gateway.connect(relay);
  {
    await using first = carryFrom(client, place);
    const using = homes.use(
      'coder',
      async (home) => {
        first.carrier.child.kill('SIGKILL');
        return home.settle();
      },
      never,
    );
    await expect(using).rejects.toMatchObject({ code: 'workspace-unreachable' });
    await first.ended;
  }
  await using _second = carryFrom(client, place);
  expect((await homes.use('coder', (home) => home.settle(), never)).entries).toBe(1);
});

test('12: a carrier that ends while nobody uses it is not there for the next command, which waits for another', async () => {
  await using following = await startFollowing();
  const { gateway, homes } = following;
  using place = makePlace();
  const client = await gateway.connect(relay);
  {
    await using first = carryFrom(client, place);
    await homes.use('coder', (home) => home.settle(), never);
    first.carrier.child.kill('SIGKILL');
    await first.ended;
  }
  const using = homes.use('coder', (home) => home.settle(), never);
  await setTimeout(100);
  await using _second = carryFrom(client, place);
  expect((await using).entries).toBe(1);
});

test('P23: who needs a home that is not offered waits for a bounded time, and hears why', async () => {
  await using following = await startFollowing(200);
  const { homes } = following;
  await expect(homes.use('coder', (home) => home.settle(), never)).rejects.toMatchObject({
    code: 'workspace-unreachable',
    message: expect.stringContaining('did not offer it within 0.2 s'),
  });
  const stopped = AbortSignal.abort(new Error('stopped'));
  await expect(homes.use('coder', (home) => home.settle(), stopped)).rejects.toThrow('stopped');
});

test('P22: bytes that nobody at the gateway reads wait at the relay', async () => {
  await using following = await startFollowing();
  const { gateway, homes } = following;
  using place = makePlace();
  await using lane = carryFrom(await gateway.connect(relay), place);
  await homes.use('coder', (home) => home.settle(), never);
  const frames = encodeFrame(CarrierFrame.chunk, Buffer.alloc(65_531));
  let taken = 0;
  // 64 MiB that answer no question.
  for (let count = 0; count < 1024; count++) {
    lane.call.write({ message: { $case: 'frames', value: frames } }, () => {
      taken += 1;
    });
  }
  await setTimeout(1500);
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(512);
  await expect(homes.use('coder', (home) => home.settle(), never)).rejects.toMatchObject({
    code: 'workspace-unreachable',
  });
});

test('A-469 P20: lanes that were taken and are not read end for nothing that waits in them', async () => {
  await using gateway = await startTestGateway({ offerHome: () => undefined });
  const client = await gateway.connect(relay);
  const lanes = Array.from({ length: 100 }, (_, agent) => openLane(client, `agent-${agent}`));
  const ends: unknown[] = [];
  for (const { ended } of lanes) void ended.then((end) => ends.push(end));
  const frames = Buffer.alloc(60_000);
  // The call takes half of them; the others are within the window of each, and together more than may wait for one name.
  const write = ({ call }: (typeof lanes)[number]) =>
    new Promise<void>((resolve) =>
      call.write({ message: { $case: 'frames', value: frames } }, () => resolve()),
    );
  for (const lane of lanes) await Promise.all(Array.from({ length: 32 }, () => write(lane)));
  await setTimeout(200);
  expect(ends).toEqual([]);
});

test('a message before the start, or one that is too large, ends the lane', async () => {
  await using following = await startFollowing();
  const client = await following.gateway.connect(relay);
  const unnamed = client.carry();
  unnamed.write({ message: { $case: 'frames', value: Buffer.alloc(1) } });
  expect(await statusOf(unnamed)).toMatchObject({ code: status.INVALID_ARGUMENT });
  const { call, ended } = openLane(client, 'coder');
  call.write({ message: { $case: 'frames', value: Buffer.alloc(65_537) } });
  expect(await ended).toMatchObject({ code: status.ABORTED });
});
