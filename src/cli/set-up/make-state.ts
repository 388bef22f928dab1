import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../package-root.ts';
import { type Credentials, makeAuthority } from '../../pki/authority.ts';
import { identityFiles } from '../../pki/identity-files.ts';
import { issueClientCertificate, issueServerCertificate } from '../../pki/issue-certificate.ts';
import { makeKey } from '../../pki/keys.ts';
import { stateFiles } from '../../pki/state-files.ts';
import { defaultContextFile } from '../reach/context.ts';
import { gatewayYaml } from './gateway-yaml.ts';

const admin = 'admin';
const grpcPort = 8443;

export interface StateOptions {
  /** Absolute. Created if it does not exist, else it must be empty. */
  readonly dir: string;
  /** Host names and addresses of the gateway, besides loopback. */
  readonly names: readonly string[];
}

export interface MadeState {
  readonly gatewayId: string;
  /** The context files that were written: one in the folder, and the user's default if there was no default yet. */
  readonly contexts: readonly string[];
  /** Why the user's default was not written. */
  readonly problem?: string;
}

/**
 * Fills a state folder with everything that a gateway needs to start. Throws if the folder is not empty, or if another
 * user could exchange what is in it.
 */
export async function makeState({ dir, names }: StateOptions): Promise<MadeState> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await refuseUsed(dir);
  await chmod(dir, 0o700);
  // From now on only its owner can put something there.
  await refuseUsed(dir);
  const gatewayId = randomUUID();
  const put = async (name: string, text: string) =>
    await writeFile(join(dir, name), text, { mode: 0o600, flag: 'wx' });
  const authority = await makeAuthority(`Clawrden CA ${gatewayId}`);
  await putKeys(put, gatewayId, authority, ['localhost', '127.0.0.1', '::1', ...names]);
  await mkdir(join(dir, admin), { mode: 0o700 });
  await putAdmin(put, authority);
  await put('gateway.yaml', gatewayYaml);
  await put('policy.yaml', await readFile(join(packageRoot(), 'policy.yaml'), 'utf8'));
  return { gatewayId, ...(await putContexts(dir)) };
}

async function refuseUsed(dir: string): Promise<void> {
  if ((await readdir(dir)).some((name) => name !== 'lost+found')) throw new Error('it is not empty');
  const { uid } = await stat(dir);
  if (uid !== process.geteuid?.()) throw new Error(`it belongs to another user, ${uid}`);
}

type Put = (name: string, text: string) => Promise<void>;

async function putKeys(
  put: Put,
  gatewayId: string,
  authority: Credentials,
  names: readonly string[],
): Promise<void> {
  const server = await issueServerCertificate(authority, [...new Set(names)]);
  const { privateKey } = generateKeyPairSync('ed25519');
  await put(stateFiles.gatewayId, `${gatewayId}\n`);
  await put(stateFiles.authority, authority.certificate);
  await put(stateFiles.authorityKey, authority.key);
  await put(stateFiles.server, server.certificate + authority.certificate);
  await put(stateFiles.serverKey, server.key);
  await put(stateFiles.signingKey, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  await put(stateFiles.operators, `${JSON.stringify({ [admin]: 'admin' })}\n`);
}

async function putAdmin(put: Put, authority: Credentials): Promise<void> {
  const key = makeKey();
  const peer = { kind: 'person', name: admin } as const;
  const certificate = await issueClientCertificate(authority, peer, createPublicKey(key));
  await put(join(admin, identityFiles.authority), authority.certificate);
  await put(join(admin, identityFiles.certificate), certificate);
  await put(join(admin, identityFiles.key), key);
}

/** Without a default the state is whole all the same: a user without a home names the context in the folder. */
async function putContexts(dir: string): Promise<Pick<MadeState, 'contexts' | 'problem'>> {
  const context = (identity: string) =>
    `# Where the gateway is, and the folder of your certificate and key.\ngateway: localhost:${grpcPort}\nidentity: ${JSON.stringify(identity)}\n`;
  const own = join(dir, 'context.yaml');
  await writeFile(own, context(admin), { mode: 0o600, flag: 'wx' });
  const usual = defaultContextFile();
  try {
    await mkdir(dirname(usual), { recursive: true });
    await writeFile(usual, context(join(dir, admin)), { mode: 0o600, flag: 'wx' });
    return { contexts: [own, usual] };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = code === 'EEXIST' ? `${usual} is there and stays as it is` : message;
    return { contexts: [own], problem };
  }
}
