import type { handleUnaryCall, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { toStatus } from './errors.ts';

type Answer<Request, Response> = (
  request: Request,
  call: ServerUnaryCall<Request, Response>,
) => Promise<Response> | Response;

/** A unary handler from a function that returns or throws. */
export function unary<Request, Response>(
  answer: Answer<Request, Response>,
): handleUnaryCall<Request, Response> {
  return (call, respond) => void respondWith(answer, call, respond);
}

async function respondWith<Request, Response>(
  answer: Answer<Request, Response>,
  call: ServerUnaryCall<Request, Response>,
  respond: sendUnaryData<Response>,
): Promise<void> {
  try {
    respond(null, await answer(call.request, call));
  } catch (error) {
    respond(toStatus(error));
  }
}
