import { status } from '@grpc/grpc-js';
import type { CreateSignInCodeResponse } from '../../../src/gen/clawrden/v1/warden.ts';
import type { Admission } from '../../ports/authentication.ts';
import type { SignInCodes } from '../../ports/browser-sessions.ts';
import { CallRefused } from '../calls/errors.ts';

export interface SignIn {
  readonly codes: Pick<SignInCodes, 'create'>;
  /** Where browsers reach the HTTP door, if that is known. */
  readonly url: string | undefined;
}

export async function createSignInCode(
  { codes, url }: SignIn,
  admission: Admission | undefined,
): Promise<CreateSignInCodeResponse> {
  if (admission === undefined) throw new CallRefused(status.UNAUTHENTICATED, 'no client certificate');
  if (url === undefined)
    throw new CallRefused(
      status.FAILED_PRECONDITION,
      'the gateway does not know how browsers reach it: http.url in gateway.yaml has to say it',
    );
  const made = await codes.create(admission);
  if ('refused' in made) throw new CallRefused(status.UNAUTHENTICATED, made.refused);
  return { code: made.value.code, expiresAt: made.value.expiresAt.toISOString(), url };
}
