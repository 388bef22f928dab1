import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Credentials } from '../../src/pki/authority.ts';
import { stateFiles } from '../../src/pki/state-files.ts';

export type OperatorRole = 'viewer' | 'operator' | 'admin';

/** The gateway's id, and the keys with which it signs. */
export interface GatewayIdentity {
  readonly gatewayId: string;
  readonly authority: Credentials;
  /** `certificate` is the whole chain. */
  readonly server: Credentials;
  readonly signingKey: KeyObject;
  readonly operators: ReadonlyMap<string, OperatorRole>;
}

const gatewayIdText = z.string().regex(/^[a-z0-9-]{4,64}$/);
const operatorsText = z.record(z.string(), z.enum(['viewer', 'operator', 'admin']));

/**
 * Reads the folder that `clawrden init` made. Rejects if a file is missing or broken, or if other users may read a
 * key.
 */
export async function loadGatewayIdentity(folder: string): Promise<GatewayIdentity> {
  const text = async (name: string) => await readFile(join(folder, name), 'utf8');
  const key = async (name: string) => await readKey(join(folder, name));
  const certificate = async (name: string) => readCertificate(join(folder, name), await text(name));
  return {
    gatewayId: gatewayIdText.parse((await text(stateFiles.gatewayId)).trim()),
    authority: {
      certificate: await certificate(stateFiles.authority),
      key: await key(stateFiles.authorityKey),
    },
    server: { certificate: await certificate(stateFiles.server), key: await key(stateFiles.serverKey) },
    signingKey: createPrivateKey(await key(stateFiles.signingKey)),
    operators: new Map(Object.entries(operatorsText.parse(JSON.parse(await text(stateFiles.operators))))),
  };
}

/** If the authority's file held no certificate, Node would choose the authorities. */
function readCertificate(file: string, text: string): string {
  try {
    new X509Certificate(text).toString();
    return text;
  } catch {
    throw new Error(`${file} holds no certificate; restore it from a backup of the state folder`);
  }
}

async function readKey(file: string): Promise<string> {
  const { mode } = await stat(file);
  if ((mode & 0o077) !== 0) throw new Error(`${file} can be read by others; run: chmod 600 ${file}`);
  return await readFile(file, 'utf8');
}
