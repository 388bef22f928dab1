import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { abortable, deadline } from '../../../abort.ts';
import { parseHostPort } from '../../../config/fields.ts';
import type { RelayConfig } from '../../../config/relay-config.ts';
import { readIdentity } from '../../../pki/identity-files.ts';
import { readTrust } from '../../../pki/trust-file.ts';
import { bad, type Finding, good, messageOf } from './finding.ts';

const timeoutMs = 10_000;
const check = "the relay's gateway";

/** Whether the gateway is where relay.yaml says, under that name. Nothing if the relay's own files cannot be read. */
export async function checkRelayGateway({
  gateway,
  identity,
  trust,
}: Pick<RelayConfig, 'gateway' | 'identity' | 'trust'>): Promise<Finding[]> {
  const files = await readFiles(identity, trust).catch(() => undefined);
  if (files === undefined) return [];
  const socket = open(gateway, files);
  if (typeof socket === 'string')
    return [bad(check, `the relay's certificate cannot be used: ${socket}`, 'enrol the relay again')];
  try {
    const ready = new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject);
    });
    using late = deadline(timeoutMs, () => new Error('it says nothing'));
    await abortable(ready, late.signal);
    return [good(check, gateway)];
  } catch (error) {
    return [judge(gateway, error)];
  } finally {
    socket.destroy();
  }
}

/** A line if certificate and key do not belong together. */
function open(gateway: string, files: Awaited<ReturnType<typeof readFiles>>): TLSSocket | string {
  const { host, port } = parseHostPort(gateway) ?? { host: '', port: 0 };
  const servername = isIP(host) === 0 ? host : '';
  try {
    return connect({ host, port, servername, ...files, ALPNProtocols: ['h2'], minVersion: 'TLSv1.3' });
  } catch (error) {
    return messageOf(error);
  }
}

async function readFiles(identity: string, trust: string | undefined) {
  const { authority, certificate: cert, key } = await readIdentity(identity);
  return { ca: trust === undefined ? authority : readTrust(trust), cert, key };
}

function judge(gateway: string, error: unknown): Finding {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return bad(
      check,
      `${gateway} shows a certificate of another name: ${messageOf(error)}`,
      'write a name of that certificate into gateway of relay.yaml',
    );
  if (/^CERT_(NOT_YET_VALID|HAS_EXPIRED)$/.test(code))
    return bad(
      check,
      `the certificate of ${gateway} does not count now, by this machine's clock`,
      "set this machine's clock; else see doctor on the gateway's machine",
    );
  if (/SELF_SIGNED|UNABLE_TO|ISSUER/.test(code))
    return bad(
      check,
      `the certificate of ${gateway} is of an authority that the relay does not trust`,
      'enrol the relay again, or mend trust of relay.yaml',
    );
  return bad(
    check,
    `${gateway} does not answer (${messageOf(error)})`,
    'start it, and see that its port is open to this machine',
  );
}
