import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type ServerMetadata,
} from 'openid-client';
import type { OidcConfig } from '../../src/config/oidc-config.ts';
import { boundedFetch } from './bounded-fetch.ts';

export type Discover = () => Promise<Configuration>;

const keptMs = 60_000;
/** Of one call, with all its requests. */
export const providerDeadlineMs = 10_000;
const skewSeconds = 30;

/**
 * What a call needs to know of the provider. Its endpoints are read once a minute; its keys for each call, so that it
 * may change them at any time.
 */
export function createDiscover(
  { issuer, clientId, private: mayBePrivate }: Pick<OidcConfig, 'issuer' | 'clientId' | 'private'>,
  secret: string,
  deadlineMs: number,
): Discover {
  const provider = { url: issuer, private: mayBePrivate };
  let kept: { readonly metadata: ServerMetadata; readonly at: number } | undefined;
  return async () => {
    const bounded = boundedFetch(provider, AbortSignal.timeout(deadlineMs));
    if (kept === undefined || performance.now() - kept.at > keptMs) {
      const found = await discovery(new URL(issuer), clientId, undefined, undefined, {
        [customFetch]: bounded,
        ...(issuer.startsWith('http:') && { execute: [allowInsecureRequests] }),
      });
      kept = { metadata: found.serverMetadata(), at: performance.now() };
    }
    const { metadata } = kept;
    const ways = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const auth = ways.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
    const config = new Configuration(metadata, clientId, { [clockTolerance]: skewSeconds }, auth);
    config[customFetch] = bounded;
    if (issuer.startsWith('http:')) allowInsecureRequests(config);
    // Also of an ID token that came over TLS: who holds the connection must not make people.
    enableNonRepudiationChecks(config);
    return config;
  };
}
