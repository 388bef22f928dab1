import { once } from 'node:events';
import { join } from 'node:path';
import {
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { packageRoot } from '../../src/package-root.ts';
import { readIdentity } from '../../src/pki/identity-files.ts';

// Made from .proto files at run time, without generated code.
const folders = [
  'proto',
  'node_modules/grpc-health-check/proto',
  'node_modules/@grpc/reflection/build/proto',
];
const files = [
  'clawrden/v1/execution.proto',
  'clawrden/v1/relay.proto',
  'clawrden/v1/warden.proto',
  'health/v1/health.proto',
  'grpc/reflection/v1/reflection.proto',
];
const definitions = loadSync(files, {
  keepCase: true,
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
  includeDirs: folders.map((folder) => join(packageRoot(), folder)),
});

/** A caller of a gateway that has only its .proto files. */
export interface RunTimeSession extends Disposable {
  /** `path` is PACKAGE.SERVICE/METHOD. */
  readonly call: (path: string, request: object, metadata?: Metadata) => Promise<object>;
  readonly stream: (path: string, metadata?: Metadata) => ClientDuplexStream<object, object>;
  /** Contains the caller's JWT. */
  readonly metadata: Metadata;
}

/** `identityDir` holds the certificate and key to call with. */
export async function openRunTimeSession(address: string, identityDir: string): Promise<RunTimeSession> {
  const { authority, certificate, key } = await readIdentity(identityDir);
  const client = new Client(address, credentials.createSsl(authority, key, certificate));

  function call(path: string, request: object, metadata = new Metadata()): Promise<object> {
    const { path: wire, requestSerialize, responseDeserialize } = methodOf(path);
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        wire,
        requestSerialize,
        responseDeserialize,
        request,
        metadata,
        (error, value) => (error === null ? resolve(value!) : reject(error)),
      );
    });
  }

  function stream(path: string, metadata = new Metadata()): ClientDuplexStream<object, object> {
    const { path: wire, requestSerialize, responseDeserialize } = methodOf(path);
    return client.makeBidiStreamRequest(wire, requestSerialize, responseDeserialize, metadata);
  }

  const { token } = (await call('clawrden.v1.RelayService/Token', {})) as { token: string };
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  return { call, stream, metadata, [Symbol.dispose]: () => client.close() };
}

export async function next(stream: ClientDuplexStream<object, object>): Promise<object> {
  return (await once(stream, 'data'))[0] as object;
}

function methodOf(path: string): MethodDefinition<object, object> {
  const [service = '', name = ''] = path.split('/');
  return (definitions[service] as ServiceDefinition)[name]!;
}
