import {
  type CallOptions,
  type Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  Metadata,
  type ServiceError,
  type StatusObject,
  status,
} from '@grpc/grpc-js';
import type { ExecuteRequest, ExecuteResponse } from '../gen/clawrden/v1/execution.ts';
import {
  type CarryRequest,
  type CarryResponse,
  RelayServiceService,
  type SynchronizeRequest,
  type SynchronizeResponse,
  type WayOutRequest,
  type WayOutResponse,
} from '../gen/clawrden/v1/relay.ts';
import { WardenServiceService, type WatchApprovalsResponse } from '../gen/clawrden/v1/warden.ts';
import { readIdentity } from '../pki/identity-files.ts';
import { readTrust } from '../pki/trust-file.ts';
import { executeMethod } from '../wire/execute-method.ts';
import { boundedAnswers } from './bounded-answers.ts';
import { openChannel } from './open-channel.ts';
import { createTokenSource, type TokenSource } from './token-source.ts';
import { type UnaryMethod, unaryCall, unaryDeadlineMs } from './unary-call.ts';

/**
 * One connection to the gateway, made when first needed and remade with a jittered backoff of 0.5 to 10 s. Every call
 * carries a JWT that this client fetches and renews.
 */
export interface GatewayClient {
  /**
   * Opens a stream. Attach its 'data' listener at once: until the first message was read, nothing slows the gateway
   * down. Never retried; if the stream is lost, it ends in an 'error' with a gRPC code. `traceparent`: of the trace that
   * it is a part of.
   */
  readonly execute: (traceparent?: string) => ClientDuplexStream<ExecuteRequest, ExecuteResponse>;
  readonly synchronize: () => ClientDuplexStream<SynchronizeRequest, SynchronizeResponse>;
  /** The lane to the home of an agent's workspace; read like `execute`. */
  readonly carry: () => ClientDuplexStream<CarryRequest, CarryResponse>;
  /** The lane of an agent's own way out; read like `execute`. */
  readonly wayOut: () => ClientDuplexStream<WayOutRequest, WayOutResponse>;
  /** All pending questions, now and after every change. If the stream is lost, it ends in an 'error' with a gRPC code. */
  readonly watchApprovals: () => ClientReadableStream<WatchApprovalsResponse>;
  /** A call that is answered with a stream of messages. Read at once; cancel it to leave early. */
  readonly stream: <Request, Response>(
    method: StreamedMethod<Request, Response>,
    request: Request,
  ) => ClientReadableStream<Response>;
  /** One call of a unary method, with a deadline of 10 s unless it says more; rejects with a gRPC `ServiceError`. */
  readonly call: <Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    withinMs?: number,
  ) => Promise<Response>;
  /** What the gateway last said of the authorities to trust, as `trustPrint`; empty if it said nothing yet. */
  readonly authority: () => string;
  /** Resolves true when connected, false if that took longer. */
  readonly waitForReady: (timeoutMs: number) => Promise<boolean>;
  /** Makes no new calls; the connection ends with the last open call. */
  readonly close: () => void;
}

export interface ConnectOptions {
  /** `HOST:PORT`; HOST must be a name or address in the gateway's certificate. */
  readonly address: string;
  /** The folder with `ca.pem`, `cert.pem` and `key.pem`. */
  readonly identityDir: string;
  /** PEM file: the authorities of the gateway's server certificate, in place of `ca.pem`. */
  readonly trust?: string | undefined;
}

/** Rejects if the identity cannot be read. Only the first call shows whether the gateway is there. */
export async function connectGateway({
  address,
  identityDir,
  trust,
}: ConnectOptions): Promise<GatewayClient> {
  const identity = await readIdentity(identityDir);
  const authority = trust === undefined ? identity.authority : readTrust(trust);
  const client = openChannel(address, { ...identity, authority });
  const tokens = createTokenSource(client);
  return {
    execute: (traceparent) => openStream(client, executeMethod, tokens, traceparent),
    synchronize: () => openStream(client, RelayServiceService.synchronize, tokens),
    carry: () => openStream(client, RelayServiceService.carry, tokens),
    wayOut: () => openStream(client, RelayServiceService.wayOut, tokens),
    watchApprovals: () => openStreamed(client, WardenServiceService.watchApprovals, {}, tokens),
    stream: (method, request) => openStreamed(client, method, request, tokens),
    call: (method, request, withinMs) => callWithToken(client, method, request, tokens, withinMs),
    authority: tokens.authority,
    waitForReady: (timeoutMs) => waitForReady(client, timeoutMs),
    close: () => client.close(),
  };
}

interface StreamMethod<Request, Response> {
  readonly path: string;
  readonly requestSerialize: (value: Request) => Buffer;
  readonly responseDeserialize: (value: Buffer) => Response;
}

function openStream<Request, Response>(
  client: Client,
  method: StreamMethod<Request, Response>,
  tokens: TokenSource,
  traceparent?: string,
): ClientDuplexStream<Request, Response> {
  const options: CallOptions = { credentials: tokens.credentials };
  const metadata = new Metadata();
  if (traceparent !== undefined) metadata.set('traceparent', traceparent);
  const { path, requestSerialize } = method;
  const stream = client.makeBidiStreamRequest(
    path,
    requestSerialize,
    boundedAnswers(method),
    metadata,
    options,
  );
  stream.on('status', forgetRefused(tokens));
  return stream;
}

/** A method as the generated code describes it. */
export interface StreamedMethod<Request, Response> extends StreamMethod<Request, Response> {
  readonly requestStream: false;
  readonly responseStream: true;
}

function openStreamed<Request, Response>(
  client: Client,
  method: StreamedMethod<Request, Response>,
  request: Request,
  tokens: TokenSource,
): ClientReadableStream<Response> {
  const stream = client.makeServerStreamRequest<Request, Response>(
    method.path,
    method.requestSerialize,
    boundedAnswers(method),
    request,
    new Metadata(),
    { credentials: tokens.credentials },
  );
  stream.on('status', forgetRefused(tokens));
  return stream;
}

function forgetRefused(tokens: TokenSource): (end: StatusObject) => void {
  return ({ code }) => {
    if (code === status.UNAUTHENTICATED) tokens.forget();
  };
}

async function callWithToken<Request, Response>(
  client: Client,
  method: UnaryMethod<Request, Response>,
  request: Request,
  tokens: TokenSource,
  withinMs = unaryDeadlineMs,
): Promise<Response> {
  try {
    const deadline = Date.now() + withinMs;
    return await unaryCall(client, method, request, { credentials: tokens.credentials, deadline });
  } catch (error) {
    if ((error as Partial<ServiceError>).code === status.UNAUTHENTICATED) tokens.forget();
    throw error;
  }
}

function waitForReady(client: Client, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    client.waitForReady(Date.now() + timeoutMs, (error) => resolve(error === undefined));
  });
}
