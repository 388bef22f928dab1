import { z } from 'zod';
import { jsonFromBase64url } from '../text/base64url.ts';

const payload = z.object({
  ca: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  person: z.string().optional(),
});

export interface EnrolmentPin {
  /** The fingerprint of the authority. */
  readonly authority: string;
  /** Whom it lets in. */
  readonly kind: 'relay' | 'person';
}

/**
 * What an enrolment token or a person's code (JWTs, both) says of itself. Verifies nothing: the user trusts the person
 * who gave it. `undefined` if the text is neither.
 */
export function readEnrolmentPin(token: string): EnrolmentPin | undefined {
  const [, body = ''] = token.split('.');
  const read = payload.safeParse(jsonFromBase64url(body)?.value).data;
  return read && { authority: read.ca, kind: read.person === undefined ? 'relay' : 'person' };
}
