import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readTextFile } from '../../src/config/read-text-file.ts';
import type { Credentials } from '../../src/pki/authority.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import { allAgents, ladder } from '../ports/principal.ts';
import type { FirstPeople } from '../principals/people.ts';

/** The gateway's id, and the keys with which it signs. */
export interface GatewayIdentity {
  readonly gatewayId: string;
  readonly authority: Credentials;
  /** `certificate` is the whole chain. */
  readonly server: Credentials;
  readonly signingKey: KeyObject;
  /** Whom `init`, or somebody at a loss, names; empty once they were taken in. */
  readonly people: FirstPeople;
}

const gatewayIdText = z
  .string()
  .regex(/^[a-z0-9-]{4,64}\n$/, 'it is not one line of 4 to 64 letters, digits and -');
const peopleText = z.record(z.string(), z.enum(ladder));

/**
 * Reads the folder that `clawrden init` made. Throws a line that names the file, what is wrong with it, and the way
 * out, if one is missing, broken, not the other's, or a key is open to others.
 */
export function loadGatewayIdentity(folder: string): GatewayIdentity {
  const read = <Value>(name: string, parse: (text: string) => Value) => readState(join(folder, name), parse);
  const authority = read(stateFiles.authority, certificatesOf);
  const server = read(stateFiles.server, certificatesOf);
  const pairOf = (certificate: Certificates, keyFile: string): Credentials => ({
    certificate: certificate.text,
    key: read(keyFile, (text) => keyFor(certificate.first, text)),
  });
  return {
    gatewayId: read(stateFiles.gatewayId, (text) => gatewayIdText.parse(text).trim()),
    authority: pairOf(authority, privateFile(folder, stateFiles.authorityKey)),
    server: pairOf(server, privateFile(folder, stateFiles.serverKey)),
    signingKey: read(privateFile(folder, stateFiles.signingKey), signingKeyOf),
    people: isThere(join(folder, stateFiles.operators)) ? read(stateFiles.operators, peopleOf) : new Map(),
  };
}

/** A link to nothing is there, and cannot be read. */
function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function peopleOf(text: string): GatewayIdentity['people'] {
  const people = Object.entries(peopleText.parse(JSON.parse(text)));
  return new Map(people.map(([name, role]) => [name, { role, scope: allAgents }]));
}

/** One rule for all of them. */
function readState<Value>(file: string, parse: (text: string) => Value): Value {
  let text: string;
  try {
    text = readTextFile(file);
  } catch (error) {
    throw new Error(`${(error as Error).message}; ${restore}`, { cause: error });
  }
  try {
    return parse(text);
  } catch (error) {
    throw new Error(`${file}: ${faultOf(error)}; ${restore}`, { cause: error });
  }
}

const restore = 'restore it from a backup of the state folder';

function faultOf(error: unknown): string {
  const message = error instanceof z.ZodError ? error.issues[0]?.message : (error as Error).message;
  return (message ?? 'it is broken').replaceAll(/\s+/g, ' ');
}

function privateFile(folder: string, name: string): string {
  const file = join(folder, name);
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) !== 0 && (mode & 0o170000) === 0o100000)
    throw new Error(`${file} can be read by others; run: chmod 600 ${file}`);
  return name;
}

interface Certificates {
  readonly text: string;
  readonly first: X509Certificate;
}

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** All of it must be certificates: an authority without one would leave the choice of authorities to Node. */
function certificatesOf(text: string): Certificates {
  const blocks = text.match(block) ?? [];
  const [first] = blocks.map(certificateOf);
  if (first === undefined) throw new Error('it holds no certificate');
  if (text.replaceAll(block, '').trim() !== '') throw new Error('it holds more than whole certificates');
  return { text, first };
}

function certificateOf(text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    throw new Error('it holds no certificate that can be read');
  }
}

function keyFor(certificate: X509Certificate, text: string): string {
  if (!certificate.checkPrivateKey(keyOf(text))) throw new Error('it is the key of another certificate');
  return text;
}

function signingKeyOf(text: string): KeyObject {
  const key = keyOf(text);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is no Ed25519 key');
  return key;
}

const oneKey = /^-----BEGIN ([A-Z ]*)PRIVATE KEY-----[^-]*-----END \1PRIVATE KEY-----\s*$/;

function keyOf(text: string): KeyObject {
  try {
    if (!oneKey.test(text)) throw new Error('something else stands in it');
    return createPrivateKey(text);
  } catch {
    throw new Error('it holds no private key that can be read');
  }
}
