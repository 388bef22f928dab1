import { X509Certificate } from 'node:crypto';
import type { HttpConfig } from '../../src/config/gateway-config.ts';
import { toTime } from '../lists/short-texts.ts';
import type { Provided } from '../ports/identity-provider.ts';
import type { CertifiedPerson, ProviderSignIn, ShownCode } from '../ports/provider-sign-in.ts';
import type { Handlers } from './add-routes.ts';
import { checkOwnPage } from './browser/own-page.ts';
import { sessionCookie } from './browser/session-cookie.ts';
import { transactionCookie } from './browser/transaction-cookie.ts';
import type { Callers } from './callers.ts';
import { HttpRefused } from './problem.ts';
import { invalid } from './read-body.ts';

export interface OidcHandlersParts {
  /** Undefined if gateway.yaml names no provider. */
  readonly providerSignIn: ProviderSignIn | undefined;
  readonly grpcPort: () => number;
  readonly http: HttpConfig;
  readonly callers: Pick<Callers, 'addressOf'>;
}

type Oidc = Pick<Handlers, 'oidc' | 'oidcBrowser' | 'oidcAuthorization' | 'oidcDevice' | 'oidcCertificate'>;

/** How a program signs its person in by the provider. */
export function oidcHandlers({ providerSignIn, grpcPort, http, callers }: OidcHandlersParts): Oidc {
  const cookie = transactionCookie(http);
  const session = sessionCookie(http);
  const signIn = () => {
    if (providerSignIn !== undefined) return providerSignIn;
    throw new HttpRefused(404, 'this gateway has no provider (oidc of gateway.yaml)');
  };
  return {
    oidc: () => ({ available: providerSignIn !== undefined }),
    oidcBrowser: async ({ request: { raw }, reply }) => {
      checkOwnPage(raw, http.trustProxy.length > 0);
      const { origin = '' } = raw.headers;
      const leaving = { origin, session: session.read(raw) };
      const begun = valueOf(await signIn().beginBrowser(leaving, callers.addressOf(raw)));
      void reply.header('set-cookie', cookie.write(raw, begun.secret));
      return { url: begun.url };
    },
    oidcAuthorization: async ({ body, request }) => ({
      url: valueOf(await signIn().authorizationUrl(body, callers.addressOf(request.raw))),
    }),
    oidcDevice: async ({ request }) => {
      const begun = valueOf(await signIn().beginDevice(callers.addressOf(request.raw)));
      const { verificationUriComplete: whole, ...rest } = begun;
      return { ...rest, ...(whole !== undefined && { verificationUriComplete: whole }) };
    },
    oidcCertificate: async ({ body, request }) => {
      const from = callers.addressOf(request.raw);
      const certified = valueOf(await signIn().certify(shownIn(body), body.certificateRequest, from));
      return certified === 'pending' ? { pending: true } : toCertified(certified, grpcPort());
    },
  };
}

/** A no of the provider is 401, and one that is not there is 503. */
export function valueOf<Value>(provided: Provided<Value>): Value {
  if ('value' in provided) return provided.value;
  if (provided.isOver) throw new HttpRefused(401, provided.refused);
  throw new HttpRefused(503, provided.refused, { 'retry-after': '5' });
}

interface ShownBody {
  readonly returned?: string | undefined;
  readonly state?: string | undefined;
  readonly nonce?: string | undefined;
  readonly verifier?: string | undefined;
  readonly deviceCode?: string | undefined;
}

function shownIn({ returned, state, nonce, verifier, deviceCode }: ShownBody): ShownCode {
  const code = [returned, state, nonce, verifier];
  if (deviceCode !== undefined && code.every((each) => each === undefined)) return { deviceCode };
  const isWhole = deviceCode === undefined && code.every((each) => each !== undefined);
  if (
    !isWhole ||
    !URL.canParse(returned ?? '') ||
    !/^http:\/\/(?:127\.0\.0\.1|\[::1\]):\d{1,5}\/callback\?/.test(returned ?? '')
  )
    throw invalid('the body: it needs either deviceCode, or returned, state, nonce and verifier');
  return {
    returned: new URL(returned ?? ''),
    state: state ?? '',
    nonce: nonce ?? '',
    verifier: verifier ?? '',
  };
}

function toCertified({ certificate, authority, person }: CertifiedPerson, grpcPort: number) {
  return {
    ...{ pending: false, person: person.name, certificate, certificateAuthority: authority, grpcPort },
    rights: person.rights.map(({ role, scope }) => ({ role, scope: { ...scope } })),
    expiresAt: toTime(new X509Certificate(certificate).validToDate.getTime()),
  };
}
