import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../..');

/** A process reads what the environment says of proxies when it starts. */
const script = `
import { callService } from './src/chats/call-service.ts';
const call = { headers: {}, body: {}, withinMs: 10_000, secret: 'x' };
for (const url of process.argv.slice(1)) await callService({ url, ...call }, AbortSignal.timeout(20_000));
`;

test('a service is called by the proxy that the environment names, if Node was told to', async () => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  proxy.on('connect', ({ url }, socket) => {
    asked.push(`CONNECT ${url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const urls = ['https://chat.invalid/x', 'http://chat.invalid/x'];
  const argv = ['--input-type=module', '-e', script, ...urls];
  const by = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: address, HTTP_PROXY: address, NO_PROXY: '' };
  const run = (env: NodeJS.ProcessEnv) =>
    promisify(execFile)(process.execPath, argv, { cwd: repository, env: { ...process.env, ...env } });
  await run({ ...by, NODE_USE_ENV_PROXY: '' });
  expect(asked).toEqual([]);
  await run(by);
  expect(asked).toEqual(['CONNECT chat.invalid:443', 'POST http://chat.invalid/x']);
  proxy.close();
});
