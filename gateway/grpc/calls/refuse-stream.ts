import { toStatus } from './errors.ts';

/** gRPC reads the status from the error that ends a stream. */
export function refuseStream(
  call: { readonly emit: (event: 'error', error: Error) => unknown },
  error: unknown,
): void {
  call.emit('error', Object.assign(new Error('refused'), toStatus(error)));
}
