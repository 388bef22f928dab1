import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { expect, test } from 'vitest';
import { WardenServiceService } from '../../../src/gen/clawrden/v1/warden.ts';
import { isRead, Reads, reflectionPaths } from './reads.ts';

function aCall() {
  const closed: number[] = [];
  const stream = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableLength: 0,
    close: (code: number) => void closed.push(code),
  });
  return { closed, stream, call: stream as unknown as ServerHttp2Stream };
}

type Call = ReturnType<typeof aCall>;

test('P20: so many answers of one name wait for their reader; an answer that nobody takes is given up', () => {
  let now = 0;
  const reads = new Reads({ perTurn: 16, mayPass: () => true }, () => now);
  const calls = Array.from({ length: 32 }, aCall);
  for (const { call } of calls) {
    expect(reads.mayPass()).toBe(true);
    reads.served(call);
  }
  expect(reads.mayPass()).toBe(false);
  const [unread, taken, slow] = calls as [Call, Call, Call];
  const waits = (call: Call, bytes: number) => Object.assign(call.stream, { writableLength: bytes });
  for (const call of [unread, taken, slow]) waits(call, 1000);
  for (let second = 0; second < 30; second += 1, now += 1000) {
    reads.endUnread();
    if (second === 5) waits(taken, 0);
    // A watch: one message is taken, and there is another one.
    waits(slow, second === 7 ? 0 : 1000);
  }
  expect(calls.flatMap(({ closed }) => closed)).toEqual([]);
  now += 1;
  reads.endUnread();
  expect([unread, taken, slow].map(({ closed }) => closed.length)).toEqual([1, 0, 0]);
  expect(reads.mayPass()).toBe(false);
  unread.stream.emit('close');
  expect(reads.mayPass()).toBe(true);
});

test('every call for something to read is one of these, and no order is', () => {
  const orders =
    /^(?:Assign|Create|Link|Remove|Reset|Resolve|Restore|Revoke|Rotate|Set|Trust|Unassign|Unlink)/;
  for (const { path } of Object.values(WardenServiceService)) {
    const name = path.replace('/clawrden.v1.WardenService/', '');
    expect([name, isRead(path)]).toEqual([name, !orders.test(name)]);
  }
  expect([isRead(undefined), isRead('/clawrden.v1.RelayService/Token')]).toEqual([false, false]);
  expect(reflectionPaths.map(isRead)).toEqual([true, true]);
});
