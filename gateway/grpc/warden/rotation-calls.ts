import type {
  RotateAuthorityRequest,
  RotateAuthorityResponse,
  RotateSigningKeyRequest,
  RotateSigningKeyResponse,
} from '../../../src/gen/clawrden/v1/warden.ts';
import { toTime } from '../../lists/short-texts.ts';
import type { Principal } from '../../ports/principal.ts';
import type { Rotations } from '../../ports/rotations.ts';
import { invalid } from '../calls/errors.ts';
import { done } from './principal-calls.ts';

const mostOverlap = 30 * 86_400;
const mostAuthorityOverlap = 366 * 86_400;

export async function rotateAuthority(
  { overlap, reason }: RotateAuthorityRequest,
  by: Principal,
  rotations: Rotations,
): Promise<RotateAuthorityResponse> {
  if (overlap < 1 || overlap > mostAuthorityOverlap)
    throw invalid(`overlap must be 1 to ${mostAuthorityOverlap}`);
  const { fingerprint, formerUntil } = done(
    await rotations.authority({ overlapMs: overlap * 1000, reason }, by),
  );
  return { fingerprint, formerUntil: toTime(formerUntil) };
}

export async function rotateSigningKey(
  { overlap, reason }: RotateSigningKeyRequest,
  by: Principal,
  rotations: Rotations,
): Promise<RotateSigningKeyResponse> {
  if (overlap > mostOverlap) throw invalid(`overlap must be at most ${mostOverlap}`);
  const { publicKey, formerUntil } = done(
    await rotations.signingKey({ overlapMs: overlap * 1000, reason }, by),
  );
  return { publicKey, formerUntil: toTime(formerUntil) };
}
