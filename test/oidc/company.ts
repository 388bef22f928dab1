import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, importJWK, SignJWT } from 'jose';
import { type Configuration, type JWK, Provider } from 'oidc-provider';
import { browse } from './browse.ts';

/** A person at the provider: what its claims say. */
export type Member = Readonly<Record<string, unknown>>;

export const clientId = 'clawrden';
export const otherClient = 'another';
export const secret = 'a secret of the client';

/** A real provider on loopback. It takes the person at the keyboard for who signs in, without a question. */
export interface Company extends AsyncDisposable {
  readonly issuer: string;
  /** By subject; change it as people come and go. */
  readonly members: Map<string, Member>;
  /** Who is at the keyboard. */
  atKeyboard: string;
  /** Written into the answers of the token endpoint in place of the provider's own. */
  idToken: string | undefined;
  /** Claims in place of the provider's own, signed with its key. */
  claims: object;
  /** Written over its discovery document. */
  metadata: object;
  /** Written over the answers of the device endpoint. */
  device: object;
  /** What the provider gave last. */
  lastIdToken: string;
  /** Whether refresh tokens are given. */
  refreshes: boolean;
  /** How often the token endpoint was asked. */
  asked: number;
  /** Signs with another key from now on, and tells only that one. */
  readonly rotateKeys: () => void;
  /** What a browser ends at that a person signs in with, from that address on. */
  readonly signIn: (url: string) => Promise<URL>;
  /** Types the user code and says yes. */
  readonly enterCode: (verificationUri: string, userCode: string) => Promise<void>;
  /** Takes no connection any more; `back` does, at the same port. */
  readonly leave: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
  /** Takes connections, and answers nothing. */
  hangs: boolean;
}

export async function openCompany(redirectUris: readonly string[]): Promise<Company> {
  const server = createServer();
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  let provider: Provider;
  const sockets = new Set<{ destroy: () => void }>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('request', (request, response) => {
    if (company.hangs) return;
    void serve(request, response);
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.startsWith('/interaction/')) return await provider.callback()(request, response);
    const { params, prompt } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      const login = { accountId: company.atKeyboard };
      return await provider.interactionFinished(request, response, { login });
    }
    const grant = new provider.Grant({
      accountId: company.atKeyboard,
      clientId: String(params['client_id']),
    });
    grant.addOIDCScope(String(params['scope']));
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  }

  const start = () => {
    const key = newKey();
    provider = new Provider(issuer, configurationOf(company, redirectUris, key));
    provider.use(async (context, next) => {
      await next();
      const { body } = context as { body: unknown };
      if (context.path === '/device/auth') context.body = { ...(body as object), ...company.device };
      if (context.path.startsWith('/.well-known/'))
        context.body = { ...(body as object), ...company.metadata };
      if (context.path !== '/token') return;
      company.asked += 1;
      if (typeof body !== 'object' || body === null || !('id_token' in body)) return;
      company.lastIdToken = String(body.id_token);
      const token = company.idToken ?? (await changed(company.lastIdToken, company.claims, key));
      context.body = { ...body, id_token: token };
    });
  };
  const stop = async () => {
    const closed = new Promise((done) => server.close(done));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const company: Company = {
    ...{ issuer, members: new Map(), atKeyboard: '', idToken: undefined, lastIdToken: '', refreshes: true },
    ...{ claims: {}, device: {}, metadata: {} },
    ...{ asked: 0, hangs: false, rotateKeys: start },
    signIn: (url) => browse(url, (at) => redirectUris.some((uri) => at.href.startsWith(uri))),
    enterCode: async (verificationUri, userCode) => {
      await browse(verificationUri, () => false, { user_code: userCode });
    },
    leave: stop,
    comeBack: () => listen(server, port),
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await stop();
    },
  };
  start();
  return company;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', done);
  });
}

/** Another text of the same token, if there are claims to change. */
async function changed(token: string, claims: object, key: JWK): Promise<string> {
  if (Object.keys(claims).length === 0) return token;
  const whole = { ...decodeJwt(token), ...claims };
  const signed = new SignJWT(whole).setProtectedHeader({ alg: 'ES256', kid: String(key.kid) });
  return await signed.sign(await importJWK(key as Parameters<typeof importJWK>[0], 'ES256'));
}

function configurationOf(company: Company, redirectUris: readonly string[], key: JWK): Configuration {
  const client = {
    client_secret: secret,
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    redirect_uris: [...redirectUris],
    application_type: 'native',
    token_endpoint_auth_method: 'client_secret_basic',
    id_token_signed_response_alg: 'ES256',
  } as const;
  return {
    clients: [
      { ...client, client_id: clientId },
      { ...client, client_id: otherClient },
    ],
    claims: {
      openid: ['sub', 'preferred_username', 'groups', '_claim_names', '_claim_sources', 'hasgroups', 'email'],
    },
    conformIdTokenClaims: false,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: false }, deviceFlow: { enabled: true } },
    findAccount: (_context, sub) => {
      const member = company.members.get(sub);
      return member && { accountId: sub, claims: () => ({ sub, ...member }) };
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: () => company.refreshes,
    jwks: { keys: [key] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    scopes: ['openid', 'offline_access'],
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Grant: 86_400,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 86_400,
    },
  };
}

function newKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomBytes(8).toString('hex');
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' };
}
