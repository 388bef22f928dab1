import {
  type Configuration,
  fetchUserInfo,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client';
import type { OidcConfig } from '../../src/config/oidc-config.ts';
import type { ProviderClaims } from '../ports/identity-provider.ts';
import { checkClaims } from './check-claims.ts';
import { BadAnswer } from './provider-fault.ts';
import { type Claims, claimAt, readGroups } from './read-groups.ts';

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/**
 * Who signed in: by the ID token, and, if that does not say everything, by what the provider says beside it. `subject`:
 * who it must be, if the tokens are those of a person who is known; a provider may then send no ID token.
 */
export async function readPerson(
  config: Configuration,
  tokens: Tokens,
  { nameClaim, groupsClaim }: Pick<OidcConfig, 'nameClaim' | 'groupsClaim'>,
  subject?: string,
): Promise<ProviderClaims> {
  const token = tokens.claims();
  if (token !== undefined) checkClaims(token, config.clientMetadata().client_id);
  const about = token?.sub ?? subject;
  if (about === undefined || (subject !== undefined && about !== subject))
    throw new BadAnswer('the tokens are of somebody else');
  const told: Claims = token ?? {};
  const hasAll = claimAt(told, nameClaim) !== undefined && !('missing' in readGroups(told, groupsClaim));
  const claims = hasAll ? told : { ...(await besides(config, tokens, about)), ...told };
  return {
    subject: about,
    name: claimAt(claims, nameClaim),
    groups: readGroups(claims, groupsClaim),
    refreshToken: tokens.refresh_token,
    until: token && token.exp * 1000,
  };
}

/** The library holds it to the same subject. */
async function besides(
  config: Configuration,
  { access_token: access }: Tokens,
  subject: string,
): Promise<Claims> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  return await fetchUserInfo(config, access, subject);
}
