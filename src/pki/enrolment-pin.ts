import { z } from 'zod';
import { jsonFromBase64url } from '../text/base64url.ts';
import type { PeerName } from './peer-name.ts';

const print = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const payload = z.object({
  ca: print,
  next: print.optional(),
  person: z.string().optional(),
  program: z.string().optional(),
});

export interface EnrolmentPin {
  /** Fingerprints: the gateway shows one of these authorities. */
  readonly authorities: readonly string[];
  /** Whom it lets in. */
  readonly kind: PeerName['kind'];
}

/**
 * What an enrolment token, or the code of a person or a program (JWTs, all), says of itself. Verifies nothing: the user trusts the person
 * who gave it. `undefined` if it is another text.
 */
export function readEnrolmentPin(token: string): EnrolmentPin | undefined {
  const [, body = ''] = token.split('.');
  const read = payload.safeParse(jsonFromBase64url(body)?.value).data;
  return (
    read && {
      authorities: [read.ca, read.next ?? []].flat(),
      kind: read.person !== undefined ? 'person' : read.program !== undefined ? 'program' : 'relay',
    }
  );
}
