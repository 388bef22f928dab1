import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { shortText } from '../lists/short-texts.ts';
import type { Provided } from '../ports/identity-provider.ts';

/** The provider looked at what it was shown, and it counts no more. */
const over = new Set([
  ...['invalid_grant', 'interaction_required', 'consent_required', 'login_required'],
  ...['access_denied', 'expired_token'],
]);
const notThere = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT']);

/** One line of what went wrong with the provider, without a code or a token. */
export function providerFault(error: unknown): Extract<Provided<never>, { refused: string }> {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    const { error: code, error_description: more } = error;
    const said = shortText(more === undefined ? code : `${code}: ${more}`);
    return { refused: `the provider refuses: ${said}`, isOver: over.has(code) };
  }
  const refused =
    error instanceof ClientError && error.code !== undefined && !notThere.has(error.code)
      ? `what the provider answers does not hold: ${shortText(innermost(error).message)}`
      : 'the provider cannot be reached; try again later';
  return { refused, isOver: false };
}

/** The library says in its own error only of which kind it is. */
function innermost(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error;
}
