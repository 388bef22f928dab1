import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  genericGrantRequest,
  initiateDeviceAuthorization,
  ResponseBodyError,
  refreshTokenGrant,
} from 'openid-client';
import type { OidcConfig } from '../../src/config/oidc-config.ts';
import { readSecret } from '../../src/config/secret-field.ts';
import type { IdentityProvider, Provided } from '../ports/identity-provider.ts';
import { createDiscover, providerDeadlineMs } from './discover.ts';
import { providerFault } from './provider-fault.ts';
import { readPerson } from './read-person.ts';
import { shownCode, shownUrl } from './shown-to-person.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** What is asked for, as far as the provider has it: also groups by themselves, and to be asked again later. */
const scopes = ['openid', 'profile', 'email', 'groups', 'offline_access'];

/** Rejects with one line if the secret cannot be read. The provider itself is not asked before somebody signs in. */
export async function openProvider(
  oidc: OidcConfig,
  deadlineMs = providerDeadlineMs,
): Promise<IdentityProvider> {
  const secret = await readSecret(oidc.clientSecret, 'oidc.client-secret');
  const discover = createDiscover(oidc, secret, deadlineMs);
  async function ask<Value>(
    question: (config: Configuration) => Promise<Value>,
    known = false,
  ): Promise<Provided<Value>> {
    try {
      return { value: await question(await discover()) };
    } catch (error) {
      return providerFault(error, known);
    }
  }

  return {
    issuer: oidc.issuer,
    authorizationUrl: ({ redirectUri, state, nonce, challenge }) =>
      ask(async (config) => {
        const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
        const rest = { redirect_uri: redirectUri, scope: scopeOf(config), state, nonce };
        return buildAuthorizationUrl(config, { ...rest, ...pkce }).href;
      }),
    redeem: ({ returned, state, nonce, verifier }) =>
      ask(async (config) => {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
        return await readPerson(config, await authorizationCodeGrant(config, returned, checks), oidc);
      }),
    beginDevice: () =>
      ask(async (config) => {
        const begun = await initiateDeviceAuthorization(config, { scope: scopeOf(config) });
        const whole = begun.verification_uri_complete;
        return {
          deviceCode: begun.device_code,
          userCode: shownCode(begun.user_code),
          verificationUri: shownUrl(begun.verification_uri),
          verificationUriComplete: whole === undefined ? undefined : shownUrl(whole),
          expiresIn: begun.expires_in,
          interval: begun.interval ?? 5,
        };
      }),
    redeemDevice: (deviceCode) =>
      ask(async (config) => {
        try {
          const tokens = await genericGrantRequest(config, deviceGrant, { device_code: deviceCode });
          return await readPerson(config, tokens, oidc);
        } catch (error) {
          if (isPending(error)) return 'pending';
          throw error;
        }
      }),
    refresh: (refreshToken, subject) =>
      ask(async (config) => {
        const tokens = await refreshTokenGrant(config, refreshToken);
        return await readPerson(config, tokens, oidc, subject);
      }, true),
  };
}

function isPending(error: unknown): boolean {
  return (
    error instanceof ResponseBodyError &&
    (error.error === 'authorization_pending' || error.error === 'slow_down')
  );
}

function scopeOf(config: Configuration): string {
  const { scopes_supported: supported = [] } = config.serverMetadata();
  return scopes.filter((scope) => scope === 'openid' || supported.includes(scope)).join(' ');
}
