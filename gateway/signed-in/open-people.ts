import { join } from 'node:path';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import type { IdentityProvider } from '../ports/identity-provider.ts';
import { openPrincipals, type Principals, type PrincipalsParts } from '../principals/open-principals.ts';
import { createRefreshTokens } from './refresh-tokens.ts';
import { openSignIns } from './sign-ins.ts';

export interface PeopleParts extends Omit<PrincipalsParts, 'openSignIns'> {
  readonly config: Pick<GatewayConfig, 'oidc' | 'state'>;
  /** Of `oidc`. */
  readonly provider: Pick<IdentityProvider, 'refresh'> | undefined;
}

/** Everybody who may call, with the people of the provider, if there is one. */
export function openPeopleAndProvider({ config, provider, ...parts }: PeopleParts): Promise<Principals> {
  const { oidc, state } = config;
  if (oidc === undefined || provider === undefined) return openPrincipals(parts);
  const tokens = createRefreshTokens(join(state, stateFiles.refreshTokens));
  const own = { ...parts, oidc, provider, tokens };
  return openPrincipals({ ...parts, openSignIns: (isTaken) => openSignIns({ ...own, isTaken }) });
}
