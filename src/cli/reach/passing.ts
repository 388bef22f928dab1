import { type ServiceError, status } from '@grpc/grpc-js';

const passing: ReadonlySet<number> = new Set([
  status.UNAVAILABLE,
  status.CANCELLED,
  status.INTERNAL,
  status.DEADLINE_EXCEEDED,
  status.UNKNOWN,
  status.UNAUTHENTICATED,
]);

/** Whether the same call may succeed later. UNAUTHENTICATED too: a gateway with new keys does not accept an earlier token. */
export function isPassing(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && passing.has(error.code as number) && 'details' in error;
}
