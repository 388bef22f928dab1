import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectSocket, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { followExecution } from '../../gateway/control/follow-execution.ts';
import { createExecute } from '../../gateway/execute.ts';
import type { Execution } from '../../gateway/execution/execution.ts';
import { createExcerpt, excerptBytes } from '../../gateway/execution/output-excerpt.ts';
import type { Followed } from '../../gateway/ports/followed-output.ts';
import type { RecordedOutput } from '../../gateway/ports/recorded-output.ts';
import type { WardenApi } from '../../gateway/ports/warden-api.ts';
import { createSees } from '../../gateway/principals/sees.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import { connect } from '../../src/http-api/client.ts';
import type { FollowEvent } from '../../src/http-api/follow.ts';
import type { Outcome } from '../../src/outcome.ts';
import {
  openChannel,
  readAudit,
  request,
  smallLimits,
  startCore,
  type TestGateway,
} from '../core/start-core.ts';
import { answerOf, ask } from './ask.ts';
import { described } from './described.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';
import { recordOf } from './watched.ts';

const api = described();
const bytes = (text: string) => Buffer.from(text);

let dir: string;
let core: TestGateway;
let door: HttpGateway;
let recorded: RecordedOutput | undefined;
/** Until then nobody hears that somebody reads along. */
let heard: Promise<void>;
/** Of each who does. */
let watching: AbortSignal[];
let running: Execution;
let labels: Record<string, string>;
let end: (outcome: Outcome) => void;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clawrden-follow-'));
  [heard, watching, labels] = [Promise.resolve(), [], { team: 'web' }];
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  end = resolve;
  core = await startCore(
    dir,
    (_permit, execution) => {
      running = execution;
      execution.started();
      return promise;
    },
    smallLimits,
  );
  const audit = core.records.audit;
  const warden: Partial<WardenApi> = {
    running: () => core.ledger.running(),
    within: (caller) => createSees(caller, () => new Map([['coder', { name: 'coder', labels }]])),
    history: core.history.page,
    execution: core.history.find,
    follow: async (id, by) => {
      const followed = await followExecution({ ledger: core.ledger, audit }, id, by);
      await heard;
      return followed && noting(followed);
    },
    output: async () => recorded,
  };
  door = await startHttpGateway({ warden });
});
afterEach(async () => {
  end({ kind: 'exited', code: 0, signal: 0 });
  await door[Symbol.asyncDispose]();
  await core[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

function noting({ agent, output, outcome }: Followed): Followed {
  const watch: typeof output.watch = (listener, signal) => {
    watching.push(signal);
    output.watch(listener, signal);
  };
  return { agent, output: { ...output, watch }, outcome };
}

/** A command that runs until the test ends it. */
async function begin(): Promise<string> {
  const id = newExecutionId();
  const caller = { kind: 'relay', name: 'host-1', role: 'relay', scope: {} } as const;
  void createExecute(core)(caller, { ...request('run'), executionId: id }, openChannel());
  await expect.poll(() => core.ran.length).toBe(1);
  return id;
}

function read(id: string, token: string, from: 'recent' | 'now' = 'recent') {
  const events: FollowEvent[] = [];
  const reading = async () => {
    for await (const event of connect({ url: door.url, token }).follow(id, { from })) {
      expect(api.faultsOf('followExecution', 'text/event-stream', event)).toEqual([]);
      events.push(event);
    }
  };
  const text = () => events.map((event) => ('data' in event ? event.data : `<${event.type}>`)).join('');
  return { events, text, over: reading().catch((error: unknown) => error) };
}

async function askToFollow(id: string, token: string): Promise<Socket> {
  const socket = connectSocket(door.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `GET /api/v1/executions/${id}/follow HTTP/1.1\r\nhost: 127.0.0.1:${door.port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  return socket;
}

test('an operator reads along: what came last, then what comes, then the outcome; the audit says who', async () => {
  const id = await begin();
  running.output.add(1, bytes('before\n'));
  const token = door.token('operator', { name: 'otto' });
  const [all, fromNow] = [read(id, token), read(id, token, 'now')];
  await expect.poll(all.text).toBe('before\n');
  await expect.poll(() => readAudit(dir).filter(({ type }) => type === 'watch')).toHaveLength(2);
  expect(readAudit(dir).find(({ type }) => type === 'watch')).toMatchObject({
    execution: id,
    by: 'person:otto',
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (const part of [bytes('gr\xc3'), Buffer.from([0xbc]), bytes('n')]) running.output.add(2, part);
  end({ kind: 'exited', code: 4, signal: 0 });
  await Promise.all([all.over, fromNow.over]);
  expect(fromNow.text()).not.toContain('before');
  expect(all.events.at(-1)).toMatchObject({ type: 'outcome', id, outcome: { exitCode: 4 } });
});

test('P2 P3: to others it is not there; nor is one that has ended', async () => {
  const id = await begin();
  const words = async (token: string, of: string) => {
    const told = await ask(door, 'followExecution', { token, params: { id: of } });
    return 'problem' in told ? told.problem.detail.replace(of, 'ID') : told;
  };
  const scoped = door.token('operator', { scope: { team: 'api' } });
  expect(await words(scoped, id)).toBe(await words(scoped, newExecutionId()));
  const all = door.token('operator', { name: 'all' });
  end({ kind: 'exited', code: 0, signal: 0 });
  await expect.poll(() => core.ledger.running().length).toBe(0);
  expect(await words(all, id)).toBe('no running execution ID');
});

test('A-59 P20: a reader that takes nothing loses what it does not take, with a mark, and the tool never waits', async () => {
  const id = await begin();
  const socket = await askToFollow(id, door.token('operator'));
  await once(socket, 'data');
  socket.pause();
  const chunk = Buffer.alloc(64 * 1024, 97);
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at < 400; at += 1) {
    running.output.add(1, chunk);
    if (at % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 25));
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  running.output.add(1, bytes('the last word'));
  let text = '';
  socket.on('data', (more) => {
    text += String(more);
  });
  socket.resume();
  await expect.poll(() => text.includes('the last word')).toBe(true);
  expect(text).toContain('event: gap\ndata: {"type":"gap","bytes":');
  socket.destroy();
});

test('A-301 P20: of a reader that leaves while the audit is written nothing stays', async () => {
  const id = await begin();
  const audit = Promise.withResolvers<void>();
  heard = audit.promise;
  const sockets = Array.from({ length: 5 }, () => askToFollow(id, door.token('operator')));
  await expect.poll(() => readAudit(dir).filter(({ type }) => type === 'watch')).toHaveLength(5);
  for (const socket of await Promise.all(sockets)) socket.destroy();
  // The gateway needs a moment to see that they have gone, and there is nothing to ask whether it has.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const stays = askToFollow(id, door.token('operator'));
  await expect.poll(() => readAudit(dir).filter(({ type }) => type === 'watch')).toHaveLength(6);
  audit.resolve();
  await once(await stays, 'data');
  expect(watching.filter((signal) => !signal.aborted)).toHaveLength(1);
  (await stays).destroy();
  await expect.poll(() => watching.every((signal) => signal.aborted)).toBe(true);
});

test('A-56 P6: it ends within 5 s when its token does', async () => {
  const id = await begin();
  const token = door.token('operator');
  const reading = read(id, token);
  await expect.poll(() => readAudit(dir).some(({ type }) => type === 'watch')).toBe(true);
  door.remove(token);
  await reading.over;
  expect(reading.events).toMatchObject([{ type: 'end', reason: 'the API token is not valid' }]);
});

test('A-344 P6: it ends within 5 s when the agent is no longer of the scope of who reads', async () => {
  const id = await begin();
  const scoped = read(id, door.token('operator', { name: 'web', scope: { team: 'web' } }));
  const all = read(id, door.token('operator'));
  running.output.add(1, bytes('before\n'));
  await expect.poll(() => [scoped.text(), all.text()]).toEqual(['before\n', 'before\n']);
  labels = { team: 'api' };
  await scoped.over;
  running.output.add(1, bytes('after\n'));
  expect(scoped.events.at(-1)).toEqual({ type: 'end', reason: `no running execution ${id}` });
  expect(scoped.text()).toBe('before\n<end>');
  await expect.poll(all.text).toBe('before\nafter\n');
});

test('what was recorded is read part by part, and what was not is left out', async () => {
  const id = newExecutionId();
  core.history.save({ ...recordOf('coder', 1), id, state: 'ended', endedAt: 1 });
  const token = door.token('operator');
  const length = fc.oneof(fc.nat(100), fc.integer({ min: 2 * excerptBytes - 5, max: 3 * excerptBytes }));
  await fc.assert(
    fc.asyncProperty(length, fc.integer({ min: 5000, max: 90_000 }), async (size, max) => {
      const all = Buffer.from(Uint8Array.from({ length: size }, (_, at) => at % 128));
      const [stdout, stderr] = [createExcerpt(), createExcerpt()];
      stdout.add(all);
      recorded = { stdout: stdout.excerpt(), stderr: stderr.excerpt() };
      const got: Buffer[] = [];
      for (let from = 0; from < all.length; ) {
        const query = { stream: 'stdout', from: `${from}`, max: `${max}` };
        const part = await answerOf(door, 'executionOutput', { token, params: { id }, query });
        expect(part).toMatchObject({ total: size, next: part.from + part.data.length });
        expect(bytes(part.data)).toEqual(all.subarray(part.from, part.next));
        got.push(bytes(part.data));
        from = part.next;
      }
      const { head, tail } = recorded.stdout;
      expect(Buffer.concat(got)).toEqual(Buffer.concat([head, tail]));
    }),
    { numRuns: process.env['CLAWRDEN_LONG'] ? 300 : 15 },
  );
  for (const [max, status] of [
    ['1048576', 200],
    ['1048577', 400],
    ['0', 400],
  ] as const) {
    const target = `/api/v1/executions/${id}/output?max=${max}`;
    expect([max, (await door.fetch(target, { token })).status]).toEqual([max, status]);
  }
  recorded = undefined;
  const none = await ask(door, 'executionOutput', { token, params: { id }, query: { stream: 'stderr' } });
  expect(none).toMatchObject({ problem: { status: 404 } });
});

test('executions are listed from a time, and up to one', async () => {
  for (let at = 1; at <= 6; at += 1)
    core.history.save({
      ...recordOf('coder', at),
      state: 'ended',
      receivedAt: at * 1000,
      endedAt: at * 1000,
    });
  const time = (at: number) => new Date(at * 1000).toISOString();
  const query = { since: time(2), until: time(5) };
  const { executions } = await answerOf(door, 'executions', { token: door.token('viewer'), query });
  expect(executions.map(({ receivedAt }) => receivedAt)).toEqual([time(4), time(3), time(2)]);
});
