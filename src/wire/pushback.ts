import type { ServiceError } from '@grpc/grpc-js';

/** gRPC's own name for it: after how many milliseconds a refused call may be made again. */
export const pushbackKey = 'grpc-retry-pushback-ms';

/** When the gateway wants a refused call again; undefined if it does not say. */
export function pushbackOf(error: unknown): number | undefined {
  const [value] = (error as Partial<ServiceError>).metadata?.get(pushbackKey) ?? [];
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}
