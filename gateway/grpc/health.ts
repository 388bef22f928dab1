import {
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import {
  type HealthCheckRequest,
  type HealthCheckResponse,
  type HealthListResponse,
  HealthService,
  HealthCheckResponse_ServingStatus as servingStatus,
} from '../../src/gen/health/v1/health.ts';
import { CallRefused, toStatus } from './calls/errors.ts';
import { refuseStream } from './calls/refuse-stream.ts';

/** The longest name that a watch may ask for: it stays in memory as long as the call is open. */
const longestName = 255;

/**
 * `grpc.health.v1`: the named services are SERVING until this is told otherwise. The handlers of the library keep every
 * name that was ever watched, so these are our own; they keep only open calls.
 */
export function addHealth(server: Server, names: readonly string[]): { readonly notServing: () => void } {
  const known = new Set(names);
  const watching = new Set<() => void>();
  let now: HealthCheckResponse['status'] = servingStatus.SERVING;

  function check(
    { request }: ServerUnaryCall<HealthCheckRequest, HealthCheckResponse>,
    respond: sendUnaryData<HealthCheckResponse>,
  ): void {
    if (known.has(request.service)) respond(null, { status: now });
    else respond(toStatus(new CallRefused(status.NOT_FOUND, 'no service of that name')));
  }

  function watch(call: ServerWritableStream<HealthCheckRequest, HealthCheckResponse>): void {
    const { service: name } = call.request;
    if (name.length > longestName)
      return refuseStream(call, new CallRefused(status.INVALID_ARGUMENT, 'no service has so long a name'));
    const isKnown = known.has(name);
    call.write({ status: isKnown ? now : servingStatus.SERVICE_UNKNOWN });
    if (!isKnown || call.cancelled) return;
    const tell = () => void call.write({ status: now });
    watching.add(tell);
    call.once('cancelled', () => watching.delete(tell));
  }

  const list = (_call: unknown, respond: sendUnaryData<HealthListResponse>) =>
    respond(null, { statuses: Object.fromEntries(names.map((name) => [name, { status: now }])) });

  server.addService(HealthService, { check, watch, list });
  return {
    notServing: () => {
      now = servingStatus.NOT_SERVING;
      for (const tell of watching) tell();
    },
  };
}
