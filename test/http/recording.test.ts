import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTimedRecorder } from '../../gateway/execution/record-timed.ts';
import { createRecordingRoom } from '../../gateway/execution/recording-room.ts';
import type { KeptRecording } from '../../gateway/ports/recording.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import { connect } from '../../src/http-api/client.ts';
import type { RecordingLine } from '../../src/http-api/recording.ts';
import { ask } from './ask.ts';
import { described } from './described.ts';
import { type HttpGateway, startHttpGateway } from './http-gateway.ts';
import { recordOf } from './watched.ts';

const api = described();
const id = newExecutionId();

let door: HttpGateway;
let recording: KeptRecording | undefined;
let partsRead: number;

function record(chunks: readonly (readonly [ms: number, bytes: Uint8Array])[]): void {
  let at = 0;
  const recorder = createTimedRecorder(createRecordingRoom().of('coder'), undefined, () => at);
  for (const [ms, bytes] of chunks) {
    at = ms;
    recorder.add(1, bytes);
  }
  const { parts } = recorder.recording();
  recording = {
    begunAt: 1000,
    parts: async function* () {
      for (const part of parts) {
        partsRead += 1;
        yield part;
      }
    },
  };
}

beforeEach(async () => {
  partsRead = 0;
  recording = undefined;
  const found = { ...recordOf('coder', 1), id, state: 'ended' as const, startedAt: 900, endedAt: 9000 };
  door = await startHttpGateway({
    warden: {
      execution: async (of, _caller, agents) =>
        of === id && (agents === undefined || agents.includes('coder')) ? found : undefined,
      recording: async () => recording,
    },
  });
});
afterEach(() => door[Symbol.asyncDispose]());

async function read(token: string): Promise<RecordingLine[]> {
  const lines: RecordingLine[] = [];
  for await (const line of connect({ url: door.url, token }).recording(id)) {
    expect(api.faultsOf('recording', 'application/x-ndjson', line)).toEqual([]);
    lines.push(line);
  }
  return lines;
}

test('a recording is an asciicast: what was written, and when', async () => {
  record([
    [0, Buffer.from('one\n')],
    [2500, Buffer.from('two')],
  ]);
  expect(await read(door.token('operator'))).toEqual([
    { version: 2, width: 80, height: 24, timestamp: 0 },
    [0.1, 'o', 'one\r\n'],
    [2.6, 'o', 'two'],
  ]);
});

test('P2 P3: it is for operators of its agent; to others it is not there, nor is one that was not recorded', async () => {
  const words = async (token: string) => {
    const told = await ask(door, 'recording', { token, params: { id } });
    return 'problem' in told ? told.problem.detail : told;
  };
  const nothing = `no timing of an execution ${id} was recorded`;
  expect(await words(door.token('operator'))).toBe(nothing);
  record([[0, Buffer.from('one')]]);
  expect(await words(door.token('operator', { scope: { team: 'web' } }))).toBe(nothing);
  expect(await words(door.token('approver'))).toMatch('this needs the role');
});

test('A-59 P20: a reader that takes nothing costs no more than a window; one that may not read ends', async () => {
  record(Array.from({ length: 120 }, (_, at) => [at * 100, Buffer.alloc(64_000, 97)] as const));
  const token = door.token('operator');
  const socket = connectSocket(door.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `GET /api/v1/executions/${id}/recording HTTP/1.1\r\nhost: 127.0.0.1:${door.port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  await once(socket, 'data');
  socket.pause();
  await expect.poll(() => partsRead).toBeGreaterThan(5);
  const closed = once(socket, 'close');
  door.remove(token);
  socket.on('error', () => {});
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(partsRead).toBeLessThan(118);
  socket.resume();
  await closed;
});
