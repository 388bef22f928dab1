import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { stringify } from 'yaml';
import { parseHostPort } from '../../config/fields.ts';
import { isLoopback } from '../../config/loopback.ts';
import { enroll } from '../../gateway-client/enroll.ts';
import { makeCertificateRequest } from '../../pki/certificate-request.ts';
import { dropStagedKey, stageIdentityFile, takeStagedIdentity } from '../../pki/identity-files.ts';
import { writeSecretFile } from '../../pki/secret-file.ts';
import { readTrust, trustOf } from '../../pki/trust-file.ts';
import { printJson, printLine } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';
import { contextFile, readContext } from '../reach/context.ts';
import { toCliError } from '../reach/grpc-error.ts';
import { loginByBrowser, loginByDevice } from './oidc-login.ts';
import { createPostJson } from './post-json.ts';
import { readPiped } from './read-piped.ts';
import { refuseOpenFolder } from './refuse-open-folder.ts';

interface LoginOptions {
  readonly gateway?: string;
  readonly code?: string;
  readonly oidc?: boolean;
  readonly url?: string;
  readonly device?: boolean;
  readonly open?: boolean;
  readonly trust?: string;
  readonly json?: boolean;
  readonly context?: string;
}

interface LoggedIn {
  readonly kind: 'person' | 'program' | 'relay';
  readonly name: string;
  /** `HOST:PORT`. */
  readonly gateway: string;
}

interface Place {
  readonly identity: string;
  readonly context: string;
  /** Writes the context, before the identity counts: a try that is cut off there is made again. */
  readonly keep: (answer: LoggedIn) => Promise<void>;
}

/** Writes over what an earlier login left here, and over no other context. */
export async function login(options: LoginOptions): Promise<void> {
  const file = contextFile(options.context);
  const identity = `${file.replace(/\.ya?ml$/, '')}.identity`;
  if (existsSync(file) && readContext(file).identity !== identity)
    throw new CliError('login', `${file} is another context`, 'name a file of your own with --context');
  await refuseOpenFolder('login', identity);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const place: Place = {
    identity,
    context: file,
    keep: async ({ gateway: address }) => {
      const kept = { gateway: address, identity: basename(identity), ...trustOf(options.trust) };
      await writeSecretFile(`${file}.new`, stringify(kept));
      await rename(`${file}.new`, file);
    },
  };
  const { kind, name, gateway } = await (options.oidc === true ? byProvider : byCode)(options, place);
  if (options.json === true) return printJson({ [kind]: name, gateway, context: file });
  printLine([kind === 'program' ? 'this program is ' : 'you are ', 'green'], name);
  printLine('  certificate and key  ', identity);
  printLine('  context              ', file);
}

async function byCode({ gateway, code, trust }: LoginOptions, { identity, keep }: Place): Promise<LoggedIn> {
  if (gateway === undefined || code === undefined)
    throw new CliError(
      'login',
      'it needs --gateway and --code, or --oidc and --url',
      'see clawrden login --help',
    );
  const token = await readPiped('login', code);
  const options = { address: gateway, token, as: 'caller', identityDir: identity, trust, keep } as const;
  return await enroll(options).catch((error: Error) => {
    const refused =
      'ask for another code: clawrden users add NAME --replace, or clawrden tokens certificate NAME';
    const known = toCliError(error, 'login', { gateway, refused });
    throw known === error ? new CliError('login', error.message, 'check the options') : known;
  });
}

async function byProvider(
  { url, gateway, trust, device, open, code }: LoginOptions,
  { identity, context, keep }: Place,
): Promise<LoggedIn> {
  if (url === undefined || code !== undefined)
    throw new CliError('login', '--oidc needs --url and no --code', 'see clawrden login --help');
  const origin = originOf(url);
  const post = createPostJson(origin, trust === undefined ? undefined : readTrust(trust));
  const { request, key } = await makeCertificateRequest();
  await mkdir(identity, { recursive: true, mode: 0o700 });
  // Written before the code is used: if the folder cannot take the key, nothing is asked.
  await stageIdentityFile(identity, 'key', key);
  try {
    const isOpened = open !== false && process.stdout.isTTY;
    const asked = { post, request, contextFile: context, open: isOpened };
    const answer = await (device === true ? loginByDevice(asked) : loginByBrowser(asked));
    const { person, certificate, certificateAuthority, grpcPort } = answer;
    if (!person || !certificate || !certificateAuthority || grpcPort === undefined)
      throw new CliError(
        'login',
        'the gateway answers with no certificate',
        'see that it is of this version',
      );
    await stageIdentityFile(identity, 'authority', certificateAuthority);
    await stageIdentityFile(identity, 'certificate', certificate);
    const address = gateway ?? `${new URL(origin).hostname}:${grpcPort}`;
    const loggedIn = { kind: 'person', name: person, gateway: address } as const;
    await keep(loggedIn);
    await takeStagedIdentity(identity);
    return loggedIn;
  } catch (error) {
    await dropStagedKey(identity);
    throw error;
  }
}

/** What signs in goes in plain text to no other machine. */
function originOf(url: string): string {
  const wrong = new CliError('login', `${url} is not https://HOST[:PORT]`, 'give http.url of the gateway');
  if (!/^https?:\/\/[^/?#@\\\s]+\/?$/.test(url) || !URL.canParse(url)) throw wrong;
  const { origin, protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) throw wrong;
  if (parseHostPort(`${hostname}:1`) === undefined) throw wrong;
  return origin;
}
