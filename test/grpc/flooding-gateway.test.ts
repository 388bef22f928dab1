import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { admin, startTestGateway } from './gateway.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
test.skipIf(!hasOpenssl)(
  'A-95: a client ends the connection of a gateway that updates its TLS keys far too often',
  async () => {
    await using gateway = await startTestGateway();
    const { certificate, key } = await issueServerCertificate(gateway.authority, ['localhost']);
    const [cert, secret] = [join(gateway.dir, 'hostile.pem'), join(gateway.dir, 'hostile-key.pem')];
    await writeFile(cert, certificate);
    await writeFile(secret, key);
    const port = await freePort();
    const files = ['-cert', cert, '-key', secret, '-alpn', 'h2', '-tls1_3', '-naccept', '1'];
    const hostile = spawn('openssl', ['s_server', '-accept', `127.0.0.1:${port}`, ...files]);
    hostile.stdin.on('error', () => {});
    const over = once(hostile, 'exit');
    const lines = createInterface(hostile.stdout)[Symbol.asyncIterator]();
    for (let line = await lines.next(); line.value !== 'ACCEPT'; ) line = await lines.next();
    const identityDir = await gateway.identity(admin);
    const client = await connectGateway({ address: `localhost:${port}`, identityDir });
    const call = client.call(WardenServiceService.listHosts, { pageToken: '' }).catch(() => {});
    for (let line = await lines.next(); line.value?.startsWith('CIPHER') === false; )
      line = await lines.next();
    let updates = 0;
    // It does one for each read of its input.
    for (; updates < 200 && hostile.exitCode === null; updates++) {
      hostile.stdin.write('k\n');
      await Promise.race([over, sleep(20)]);
    }
    expect(updates).toBeGreaterThan(20);
    expect(updates).toBeLessThan(200);
    hostile.kill();
    await Promise.all([over, call]);
    client.close();
  },
  60_000,
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
