import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { localEngine } from './local-engine.ts';

/** Sends the head of each answer and the begin of its body, and then the connection is gone. */
async function cuttingEngine() {
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-cut-'));
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('[{"Id":', () => request.socket.destroy());
  });
  await once(server.listen(join(folder, 'engine.sock')), 'listening');
  return {
    docker: localEngine(`unix://${join(folder, 'engine.sock')}`),
    [Symbol.asyncDispose]: async () => {
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

test('23: a call whose engine goes away within its answer ends when its signal aborts', async () => {
  await using engine = await cuttingEngine();
  const container = engine.docker.getContainer('c');
  const calls: ((abortSignal: AbortSignal) => Promise<unknown>)[] = [
    (abortSignal) => container.wait({ condition: 'removed', abortSignal }),
    (abortSignal) => container.inspect({ abortSignal }),
    (abortSignal) => container.remove({ force: true, ...{ abortSignal } }),
    (abortSignal) => container.start({ abortSignal }),
    (abortSignal) => engine.docker.listContainers({ all: true, ...{ abortSignal } }),
  ];
  for (const call of calls) await expect(call(AbortSignal.timeout(100))).rejects.toThrow(/abort|timeout/i);
});

test('a call whose signal has aborted before rejects', async () => {
  await using engine = await cuttingEngine();
  const aborted = AbortSignal.abort(new Error('too late'));
  await expect(engine.docker.getContainer('c').inspect({ abortSignal: aborted })).rejects.toThrow(/abort/i);
});

test("relay.yaml says which engine is the agent host's, and no variable of the environment", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-own-'));
  const server = createServer((_request, response) => response.end('{"Name":"own"}'));
  await once(server.listen(join(folder, 'engine.sock')), 'listening');
  vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:1');
  expect(await localEngine(`unix://${folder}/engine.sock`).info()).toEqual({ Name: 'own' });
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});
