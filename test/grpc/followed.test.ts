import type { ServiceError } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { createRecentOutput } from '../../gateway/execution/recent-output.ts';
import { createSees } from '../../gateway/principals/sees.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import { type FollowOutputResponse, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import type { Outcome } from '../../src/outcome.ts';
import { holdPieces } from '../fixtures/held-pieces.ts';
import { recordOf } from '../http/watched.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';

let gateway: TestGateway | undefined;
afterEach(() => gateway?.[Symbol.asyncDispose]());

const id = newExecutionId();
const output = createRecentOutput();
let labels: Record<string, string> = { team: 'web' };

async function follow(name: string) {
  const client = await gateway?.connect({ kind: 'person', name });
  const stream = client?.stream(WardenServiceService.followOutput, { id, fromNow: false });
  let text = '';
  stream?.on('data', ({ event }: FollowOutputResponse) => {
    if (event?.$case === 'stdout') text += Buffer.from(event.value).toString();
  });
  const failed = new Promise<ServiceError>((resolve) => void stream?.on('error', resolve));
  return { text: () => text, failed };
}

test('A-344 P6: who follows a command hears no more of it within 5 s after its agent left their scope', async () => {
  gateway = await startTestGateway({
    people: { web: 'operator', all: 'operator' },
    scopes: { web: { team: 'web' } },
    warden: {
      running: () => [{ ...recordOf('coder', 1), id }],
      within: (caller) => createSees(caller, () => new Map([['coder', { name: 'coder', labels }]])),
      follow: async () => ({ agent: 'coder', output, outcome: new Promise<Outcome>(() => {}) }),
    },
  });
  const [web, all] = [await follow('web'), await follow('all')];
  output.add(1, Buffer.from('before '));
  await expect.poll(() => [web.text(), all.text()]).toEqual(['before ', 'before ']);
  labels = { team: 'api' };
  expect(await web.failed).toMatchObject({ details: `no running execution ${id}` });
  output.add(1, Buffer.from('after'));
  await expect.poll(all.text).toBe('before after');
  expect(web.text()).toBe('before ');
});

test('A-551 P20: of all who follow one command, or watch the questions, one is told in a turn', async () => {
  const pieces = holdPieces();
  const ends = Promise.withResolvers<Outcome>();
  const noted = createRecentOutput();
  gateway = await startTestGateway({
    nextPiece: pieces.nextPiece,
    warden: {
      running: () => [{ ...recordOf('coder', 1), id }],
      follow: async () => ({ agent: 'coder', output: noted, outcome: ends.promise }),
      approvals: () => [],
      watchApprovals: () => {},
    },
  });
  const client = await gateway.connect({ kind: 'person', name: 'admin' });
  const told: string[] = [];
  noted.add(1, Buffer.from('first'));
  for (let count = 0; count < 2; count += 1) {
    const stream = client.stream(WardenServiceService.followOutput, { id, fromNow: false });
    stream.on('data', ({ event }: FollowOutputResponse) => void told.push(event?.$case ?? ''));
    const watch = client.stream(WardenServiceService.watchApprovals, {});
    watch.on('data', () => void told.push('questions')).on('error', () => {});
  }
  for (const waiting of [4, 3, 2, 1]) {
    await pieces.giveOne(waiting);
    await expect.poll(() => told.length).toBe(5 - waiting);
  }
  expect(told.splice(0).toSorted()).toEqual(['questions', 'questions', 'stdout', 'stdout']);
  noted.add(1, Buffer.from('second'));
  await pieces.giveOne(2);
  await expect.poll(() => told).toEqual(['stdout']);
  await pieces.giveOne(1);
  await expect.poll(() => told).toEqual(['stdout', 'stdout']);
  ends.resolve({ kind: 'exited', code: 0, signal: 0 });
  await pieces.giveOne(2);
  await expect.poll(() => told.slice(2)).toEqual(['outcome']);
  await pieces.giveOne(1);
  await expect.poll(() => told.slice(2)).toEqual(['outcome', 'outcome']);
});
