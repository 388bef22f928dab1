import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openServerFiles } from '../../gateway/live-config/server-files.ts';
import { createFaults } from '../../src/faults.ts';
import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import { print, replaceDoor, shownAt } from '../warden/door-files.ts';
import { loopback, startHttpGateway } from './http-gateway.ts';

test('A-127: the HTTP door shows another certificate once its files hold one, and keeps the last good one', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-http-tls-'));
  const company = await makeAuthority('Company');
  const [first, second] = [
    await issueServerCertificate(company, ['127.0.0.1']),
    await issueServerCertificate(company, ['127.0.0.1']),
  ];
  await replaceDoor(dir, first);
  const tls = openServerFiles({ cert: join(dir, 'door.pem'), key: join(dir, 'door.key') }, 'http.tls');
  const log = pino({ level: 'silent' });
  const over = new AbortController();
  tls.follow({ log, faults: createFaults(log) }, over.signal);
  await using door = await startHttpGateway({ http: loopback, tls });
  const shown = () => shownAt(`127.0.0.1:${door.port}`, 'http/1.1');
  expect(await shown()).toBe(print(first));
  await replaceDoor(dir, { ...second, key: first.key });
  await expect.poll(() => tls.warnings().join('\n'), { interval: 50 }).toContain('it is not the key of');
  expect(await shown()).toBe(print(first));
  await replaceDoor(dir, second);
  await expect.poll(shown, { interval: 50 }).toBe(print(second));
  expect(tls.warnings()).toEqual([]);
  expect(tls.now().leaf.raw).toEqual(new X509Certificate(second.certificate).raw);
  over.abort();
  await rm(dir, { recursive: true, force: true });
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'A-596 P6: no session of %s is resumed at the HTTP door',
  async (version) => {
    const dir = await mkdtemp(join(tmpdir(), 'clawrden-http-tls-'));
    const company = await makeAuthority('Company');
    await replaceDoor(dir, await issueServerCertificate(company, ['127.0.0.1']));
    const tls = openServerFiles({ cert: join(dir, 'door.pem'), key: join(dir, 'door.key') }, 'http.tls');
    await using door = await startHttpGateway({ http: loopback, tls });
    const open = async (more: object) => {
      const socket = connect({
        ...{ host: '127.0.0.1', port: door.port, ca: company.certificate },
        ...{ maxVersion: version, ...more },
      });
      const sessions: Buffer[] = [];
      socket.on('session', (session) => sessions.push(session));
      await once(socket, 'secureConnect');
      socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
      await once(socket, 'data');
      const isReused = socket.isSessionReused();
      sessions.push(socket.getSession() ?? Buffer.alloc(0));
      socket.destroy();
      return { isReused, sessions };
    };
    const { sessions } = await open({});
    for (const session of sessions) expect((await open({ session })).isReused).toBe(false);
    await rm(dir, { recursive: true, force: true });
  },
);
