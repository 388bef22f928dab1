import { type CallOptions, type Client, Metadata } from '@grpc/grpc-js';
import { boundedAnswers } from './bounded-answers.ts';

/** A unary method as the generated code describes it. */
export interface UnaryMethod<Request, Response> {
  readonly path: string;
  readonly requestStream: false;
  readonly responseStream: false;
  readonly requestSerialize: (value: Request) => Buffer;
  readonly responseDeserialize: (value: Buffer) => Response;
}

export const unaryDeadlineMs = 10_000;

/** Rejects with a gRPC `ServiceError`; after 10 s with DEADLINE_EXCEEDED. */
export function unaryCall<Request, Response>(
  client: Client,
  method: UnaryMethod<Request, Response>,
  request: Request,
  options: CallOptions = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      boundedAnswers(method),
      request,
      new Metadata(),
      { deadline: Date.now() + unaryDeadlineMs, ...options },
      (error, response) => {
        if (response !== undefined) resolve(response);
        else reject(error ?? new Error(`${method.path} answered nothing`));
      },
    );
  });
}
