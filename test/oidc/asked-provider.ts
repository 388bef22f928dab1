import { createHash, randomBytes } from 'node:crypto';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProvider } from '../../gateway/oidc/open-provider.ts';
import type { IdentityProvider, Provided, RedeemedCode } from '../../gateway/ports/identity-provider.ts';
import type { OidcConfig } from '../../src/config/oidc-config.ts';
import { type Company, clientId, openCompany, secret } from './company.ts';

export const redirectUri = 'http://127.0.0.1:9/callback';

/** The gateway's own side of a provider, and the provider. */
export interface Asked extends AsyncDisposable {
  readonly company: Company;
  readonly provider: IdentityProvider;
  /** Its own, with this deadline. */
  readonly hasty: (deadlineMs: number) => Promise<IdentityProvider>;
  /** What a browser came back with, and what has to be shown beside it. */
  readonly begin: (provider?: IdentityProvider) => Promise<RedeemedCode>;
}

export async function askProvider(changed: Partial<OidcConfig> = {}): Promise<Asked> {
  const company = await openCompany([redirectUri]);
  const folder = await mkdtempDisposable(join(tmpdir(), 'clawrden-oidc-'));
  const file = join(folder.path, 'client-secret');
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  const config: OidcConfig = {
    ...{ issuer: company.issuer, private: false, clientId, clientSecret: { file } },
    ...{ nameClaim: 'preferred_username', groupsClaim: 'groups', groups: new Map() },
    ...changed,
  };
  const own = await openProvider(config);
  return {
    ...{ company, provider: own, hasty: (deadlineMs) => openProvider(config, deadlineMs) },
    begin: async (provider = own) => {
      const [state, nonce, verifier] = [random(), random(), random()];
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const url = valueOf(await provider.authorizationUrl({ redirectUri, state, nonce, challenge }));
      return { returned: await company.signIn(url), state, nonce, verifier };
    },
    [Symbol.asyncDispose]: async () => {
      await company[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export function valueOf<Value>(provided: Provided<Value>): Value {
  if ('refused' in provided) throw new Error(provided.refused);
  return provided.value;
}

function random(): string {
  return randomBytes(32).toString('base64url');
}
