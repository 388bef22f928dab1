import { X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { type EnrollResponse, RelayServiceService } from '../gen/clawrden/v1/relay.ts';
import { makeCertificateRequest } from '../pki/certificate-request.ts';
import { dropEnrollingKeys, enrollingKey } from '../pki/enrolling-key.ts';
import { type EnrolmentPin, readEnrolmentPin } from '../pki/enrolment-pin.ts';
import { fingerprintOfPem } from '../pki/fingerprint.ts';
import { stageIdentityFile, takeStagedIdentity } from '../pki/identity-files.ts';
import type { PeerName } from '../pki/peer-name.ts';
import { readTrust } from '../pki/trust-file.ts';
import { certificatesIn } from '../pki/trust-print.ts';
import { fetchAuthority } from './fetch-authority.ts';
import { openChannel } from './open-channel.ts';
import { unaryCall } from './unary-call.ts';

const noToken = 'the token is not one that enrols a relay';
const notPinned = 'the gateway signs by another authority than the token says';
const noCode = 'the code is not one of a person or a program';

export interface EnrollOptions {
  /** `HOST:PORT` of the enrolment listener. */
  readonly address: string;
  /** Of a relay, or the code of a person or a program. */
  readonly token: string;
  readonly as: 'relay' | 'caller';
  /** The folder for `ca.pem`, `cert.pem` and `key.pem`; created if it does not exist. */
  readonly identityDir: string;
  /** PEM file: the authorities of the server's certificate, if it does not show the token's. */
  readonly trust?: string | undefined;
  /** Keeps what the answer says beside the identity. */
  readonly keep?: (enrolled: Enrolled) => Promise<void>;
}

export interface Enrolled {
  readonly kind: PeerName['kind'];
  readonly name: string;
  readonly agents: readonly string[];
  /** `HOST:PORT` of the gateway's mTLS listener. */
  readonly gateway: string;
}

/**
 * Makes a key here, lets the gateway sign its certificate, and writes both over those of an earlier enrolment. Before
 * it sends anything, it compares the server with the token's pin, or with `trust`. Rejects with a line for people, or with a gRPC
 * `ServiceError` if the gateway refuses. Whatever else cuts it off, wherever: the same call goes on with the same key.
 */
export async function enroll(options: EnrollOptions): Promise<Enrolled> {
  const { address, token, as, identityDir, keep } = options;
  const pin = readEnrolmentPin(token);
  if (pin === undefined || (pin.kind === 'relay') !== (as === 'relay'))
    throw new Error(as === 'relay' ? noToken : noCode);
  const authority = await authorityOf(options, pin);
  await mkdir(identityDir, { recursive: true, mode: 0o700 });
  // Written before the token is used: if the folder cannot take the key, the token must stay valid.
  const { request, key } = await makeCertificateRequest(await enrollingKey(identityDir, token));
  const answer = await requestCertificate(address, authority, { token, certificateRequest: request });
  if (!isPinned(answer.certificateAuthority, pin)) throw new Error(notPinned);
  await stageIdentityFile(identityDir, 'key', key);
  // While one authority gives way to another, both are in it.
  await stageIdentityFile(identityDir, 'authority', lasting(answer.certificateAuthority));
  await stageIdentityFile(identityDir, 'certificate', answer.certificate);
  const name = answer[pin.kind];
  const enrolled = { kind: pin.kind, name, agents: answer.agents, gateway: answer.grpcAddress };
  await keep?.(enrolled);
  await takeStagedIdentity(identityDir);
  await dropEnrollingKeys(identityDir);
  return enrolled;
}

/** Of the server's certificate: who trusts a file needs no pin for that. */
async function authorityOf({ address, trust }: EnrollOptions, pin: EnrolmentPin): Promise<string> {
  if (trust !== undefined) return readTrust(trust);
  const { hostname, port } = new URL(`tcp://${address}`);
  return await fetchAuthority(hostname.replaceAll(/^\[|\]$/g, ''), Number(port), pin.authorities);
}

/** Whether who signs client certificates is who the token names. */
function isPinned(authorities: string, pin: EnrolmentPin): boolean {
  return certificatesIn(authorities).some((each) => pin.authorities.includes(fingerprintOfPem(each)));
}

/**
 * Of an authority that gives way to another the gateway sends its own certificate, which a token may pin, and one that
 * ends in time. Only the latter is kept: a thief of its key must not stand for the gateway behind that.
 */
function lasting(authorities: string): string {
  const all = certificatesIn(authorities).map((pem) => ({ pem, of: new X509Certificate(pem) }));
  let kept = authorities;
  for (const { pem, of } of all) {
    const ofSameKey = all.filter((other) => other.of.publicKey.equals(of.publicKey));
    if (ofSameKey.some((other) => other.of.validToDate < of.validToDate)) kept = kept.replace(pem, '');
  }
  return kept.trimStart();
}

async function requestCertificate(
  address: string,
  authority: string,
  request: { token: string; certificateRequest: string },
): Promise<EnrollResponse> {
  const client = openChannel(address, { authority });
  try {
    return await unaryCall(client, RelayServiceService.enroll, request);
  } finally {
    client.close();
  }
}
