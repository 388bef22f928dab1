import { AuthorizationResponseError } from 'openid-client';
import { expect, test } from 'vitest';
import { providerFault } from './provider-fault.ts';

test('A-608 P11: what a provider says of its refusal turns no text round and moves no cursor', () => {
  const said = { error: 'access_denied', error_description: 'not \u202eyou\u001b[2J' };
  const error = new AuthorizationResponseError('refused', { cause: new URLSearchParams(said) });
  const refused = 'the provider refuses: access_denied: not \\u{202e}you\\u{1b}[2J';
  expect(providerFault(error)).toEqual({ refused, isOver: true });
});
