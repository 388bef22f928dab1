import { createRequire } from 'node:module';
import { join } from 'node:path';
import type {
  handleBidiStreamingCall,
  MethodDefinition,
  Server,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type * as loader from '@grpc/proto-loader';
import type * as reflection from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { packageRoot } from '../../src/package-root.ts';

const files = ['execution', 'relay', 'warden'].map((name) => `clawrden/v1/${name}.proto`);
const services = ['ExecutionService', 'RelayService', 'WardenService'].map((name) => `clawrden.v1.${name}`);
const reflectionPaths = ['v1', 'v1alpha'].map(
  (version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
);

/** Server reflection (v1 and v1alpha) and `grpc.health.v1`, which reports SERVING until it is told otherwise. */
export function addIntrospection(server: Server): { readonly notServing: () => void } {
  const names = ['', ...services];
  const health = new HealthImplementation(
    Object.fromEntries(names.map((name) => [name, 'SERVING' as const])),
  );
  health.addToServer(server);
  addReflection(server);
  return {
    notServing: () => {
      for (const name of names) health.setStatus(name, 'NOT_SERVING');
    },
  };
}

interface Reflected {
  readonly method: MethodDefinition<object, object>;
  readonly handle: handleBidiStreamingCall<object, object>;
}

/** What few ask for takes a tenth of a start: it parses every .proto file. So it is made at the first call. */
function addReflection(server: Server): void {
  let made: ReturnType<typeof makeReflection> | undefined;
  for (const path of reflectionPaths) {
    const real = (): Reflected => {
      made ??= makeReflection();
      return made(path);
    };
    const method: MethodDefinition<object, object> = {
      ...{ path, requestStream: true, responseStream: true },
      requestSerialize: (request) => real().method.requestSerialize(request),
      requestDeserialize: (bytes) => real().method.requestDeserialize(bytes),
      responseSerialize: (response) => real().method.responseSerialize(response),
      responseDeserialize: (bytes) => real().method.responseDeserialize(bytes),
    };
    const handle: Reflected['handle'] = (call) => real().handle(call);
    server.addService({ ServerReflectionInfo: method }, { ServerReflectionInfo: handle });
  }
}

/** Loads in one go: a message may be there when the call is. */
function makeReflection(): (path: string) => Reflected {
  const load = createRequire(import.meta.url);
  const { loadSync } = load('@grpc/proto-loader') as typeof loader;
  const { ReflectionService } = load('@grpc/reflection') as typeof reflection;
  const made = new Map<string, Reflected>();
  const addService = (service: ServiceDefinition, handlers: UntypedServiceImplementation) => {
    for (const [name, method] of Object.entries(service)) {
      const handle = handlers[name] as Reflected['handle'];
      made.set(method.path, { method: method as Reflected['method'], handle });
    }
  };
  const definition = loadSync(files, { includeDirs: [join(packageRoot(), 'proto')] });
  new ReflectionService(definition, { services }).addToServer({ addService });
  return (path) => {
    const found = made.get(path);
    if (found === undefined) throw new Error(`@grpc/reflection does not serve ${path}`);
    return found;
  };
}
