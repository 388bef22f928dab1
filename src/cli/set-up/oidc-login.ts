import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { paths } from '../../http-api/paths.ts';
import { openLink } from '../decide/open-link.ts';
import { tell } from '../print/tell.ts';
import { CliError } from '../reach/cli-error.ts';
import type { PostJson } from './post-json.ts';

/** What the gateway answers to a sign-in that it takes. */
export interface CertifiedAnswer {
  readonly pending: boolean;
  readonly person?: string;
  readonly certificate?: string;
  readonly certificateAuthority?: string;
  readonly grpcPort?: number;
}

export interface OidcLogin {
  readonly post: PostJson;
  /** PKCS #10, PEM. */
  readonly request: string;
  /** Beside which a file may lie that opens the browser. */
  readonly contextFile: string;
  /** Whether a browser is opened; else the person opens the link. */
  readonly open: boolean;
}

const waitMs = 5 * 60_000;

/** By a browser of this machine, which comes back to a listener here. */
export async function loginByBrowser({
  post,
  request,
  contextFile,
  open,
}: OidcLogin): Promise<CertifiedAnswer> {
  const [state, nonce, verifier] = [random(), random(), random()];
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await new Promise((done, fail) => server.once('listening', done).once('error', fail));
  try {
    const { port } = server.address() as AddressInfo;
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const back = returned(server, redirectUri, state);
    // It is awaited below; before that something else may fail.
    back.catch(() => {});
    const { url } = await post<{ url: string }>(paths.oidcAuthorization.path, {
      ...{ redirectUri, state, nonce, challenge },
    });
    if (!/^https?:\/\/[\x21-\x7e]+$/.test(url) || /[<>"']/.test(url))
      throw new CliError('login', 'the gateway answers with no link', 'see that it is of this version');
    tell(`sign in with your browser: ${url}`);
    const problem = open ? await openLink(url, contextFile) : undefined;
    if (problem !== undefined) tell(`clawrden: ${problem}; open the link yourself`);
    const shown = { returned: (await back).href, state, nonce, verifier };
    return await post<CertifiedAnswer>(paths.oidcCertificate.path, { certificateRequest: request, ...shown });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Where the browser came back to; what did not begin here does not count. */
function returned(server: ReturnType<typeof createServer>, redirectUri: string, state: string): Promise<URL> {
  return new Promise((done, fail) => {
    const late = new CliError('login', 'nobody signed in for 5 minutes', 'try again, or with --device');
    // Only as long as the listener is there.
    const timer = setTimeout(() => fail(late), waitMs).unref();
    server.on('request', ({ url = '', method, headers }, response) => {
      const at = URL.canParse(url, redirectUri) ? new URL(url, redirectUri) : undefined;
      const isOurs = method === 'GET' && at?.pathname === '/callback' && headers.host === at.host;
      const isBack = isOurs && at.searchParams.get('state') === state;
      response.writeHead(isBack ? 200 : 404, {
        'content-type': 'text/plain; charset=utf-8',
        'referrer-policy': 'no-referrer',
        connection: 'close',
      });
      response.end(isBack ? 'You may close this page, and go on in the terminal.\n' : 'not found\n');
      if (!isBack) return;
      clearTimeout(timer);
      done(at);
    });
  });
}

interface BegunDevice {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly expiresIn: number;
  readonly interval: number;
}

/** At any other device, by a code that the person types there. */
export async function loginByDevice({ post, request }: OidcLogin): Promise<CertifiedAnswer> {
  const begun = await post<BegunDevice>(paths.oidcDevice.path, {});
  tell(`open ${begun.verificationUri} on any device, and type ${begun.userCode}`);
  const end = performance.now() + Math.min(begun.expiresIn * 1000, 15 * 60_000);
  const everyMs = Math.min(Math.max(begun.interval, 1), 60) * 1000;
  while (performance.now() < end) {
    await new Promise((done) => setTimeout(done, everyMs));
    const { deviceCode } = begun;
    const answer = await post<CertifiedAnswer>(paths.oidcCertificate.path, {
      ...{ certificateRequest: request, deviceCode },
    });
    if (!answer.pending) return answer;
  }
  throw new CliError('login', 'nobody typed the code in time', 'try again');
}

function random(): string {
  return randomBytes(32).toString('base64url');
}
