import { z } from 'zod';
import { jsonFromBase64url } from '../text/base64url.ts';

const payload = z.object({ ca: z.string().regex(/^[A-Za-z0-9_-]{43}$/) });

/**
 * The fingerprint of the authority that an enrolment token (a JWT) names. Verifies nothing: the user trusts the
 * person who gave the token. `undefined` if the text is not such a token.
 */
export function readEnrolmentPin(token: string): string | undefined {
  const [, body = ''] = token.split('.');
  return payload.safeParse(jsonFromBase64url(body)?.value).data?.ca;
}
