import { z } from 'zod';
import { jsonFromBase64url } from '../text/base64url.ts';

const print = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const payload = z.object({
  ca: print,
  next: print.optional(),
  person: z.string().optional(),
});

export interface EnrolmentPin {
  /** Fingerprints: the gateway shows one of these authorities. */
  readonly authorities: readonly string[];
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
  return (
    read && {
      authorities: [read.ca, read.next ?? []].flat(),
      kind: read.person === undefined ? 'relay' : 'person',
    }
  );
}
