import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import Docker from 'dockerode';
import { expect, test } from 'vitest';
import { EngineTimeout, withDeadline } from './deadline.ts';
import { getJson } from './get-json.ts';

const never = (): Promise<never> => new Promise(() => {});

test('a call that settles in time is left alone', async () => {
  await expect(withDeadline(1000, async () => 7)).resolves.toBe(7);
  await expect(withDeadline(1000, () => Promise.reject(new Error('own')))).rejects.toThrow('own');
});

test('a call that does not is given up, and told so', async () => {
  let told: AbortSignal | undefined;
  const call = withDeadline(20, (signal) => {
    told = signal;
    return never();
  });
  await expect(call).rejects.toBeInstanceOf(EngineTimeout);
  expect(told?.aborted).toBe(true);
});

test("the caller's signal ends a call with its reason, and before it begins", async () => {
  const controller = new AbortController();
  const reason = new Error('canceled');
  const call = withDeadline(Number.POSITIVE_INFINITY, never, controller.signal);
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
  await expect(withDeadline(1000, async () => 7, controller.signal)).rejects.toBe(reason);
});

test('P24 an answer that is cut in its middle ends with the deadline', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half":');
      setTimeout(() => socket.destroy(), 20);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const docker = new Docker({ protocol: 'http', host: '127.0.0.1', port });
  await expect(getJson(docker, '/info', 200)).rejects.toThrow('no answer within 0.2 s');
  server.close();
});
