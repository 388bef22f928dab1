import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { AddressRefused } from '../../src/egress/judged-lookup.ts';
import { escapeUnprintable } from '../../src/text/render-text.ts';
import { shortText } from '../lists/short-texts.ts';
import type { Provided } from '../ports/identity-provider.ts';

/** An answer that the library takes, and this gateway does not. */
export class BadAnswer extends Error {}

/** The provider looked at what it was shown, and it counts no more. */
const over = new Set([
  ...['invalid_grant', 'interaction_required', 'consent_required', 'login_required'],
  ...['access_denied', 'expired_token'],
]);
const notThere = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT']);
/** Not the provider: something before it that answers in its place. */
const elsewhere = new Set(['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']);

/**
 * One line of what went wrong with the provider, without a code or a token. An answer that does not hold ends a sign-in;
 * `known`: it leaves alone who signed in before.
 */
export function providerFault(error: unknown, known = false): Extract<Provided<never>, { refused: string }> {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    const { error: code, error_description: more } = error;
    const said = shownText(more === undefined ? code : `${code}: ${more}`);
    return { refused: `the provider refuses: ${said}`, isOver: over.has(code) };
  }
  if (error instanceof BadAnswer)
    return { refused: `what the provider answers does not hold: ${error.message}`, isOver: !known };
  // What the gateway itself refuses is no answer, and says nothing of who signs in.
  if (error instanceof Error && innermost(error) instanceof AddressRefused)
    return { refused: `the provider leads elsewhere: ${shownText(innermost(error).message)}`, isOver: false };
  if (!(error instanceof ClientError) || error.code === undefined || notThere.has(error.code))
    return { refused: 'the provider cannot be reached; try again later', isOver: false };
  const refused = `what the provider answers does not hold: ${shownText(innermost(error).message)}`;
  return { refused, isOver: !known && !elsewhere.has(error.code) };
}

/** Pages and terminals show it, and nobody else than the provider has read it. */
function shownText(text: string): string {
  return escapeUnprintable(shortText(text));
}

/** The library says in its own error only of which kind it is. */
function innermost(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error;
}
