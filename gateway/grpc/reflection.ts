import { createRequire } from 'node:module';
import { join } from 'node:path';
import type {
  handleBidiStreamingCall,
  MethodDefinition,
  Server,
  ServerDuplexStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type * as loader from '@grpc/proto-loader';
import type * as reflection from '@grpc/reflection';
import { packageRoot } from '../../src/package-root.ts';
import { reflectionPaths } from './front/reads.ts';

const files = ['execution', 'relay', 'warden'].map((name) => `clawrden/v1/${name}.proto`);
/** A question is a name; its answer repeats it. */
const mostBytes = 4096;

interface Reflected {
  readonly method: MethodDefinition<object, object>;
  readonly answer: (message: object) => object;
}

/** What few ask for takes a tenth of a start: it parses every .proto file. So it is made at the first call. */
export function addReflection(server: Server, services: string[]): void {
  let made: ReturnType<typeof makeReflection> | undefined;
  for (const path of reflectionPaths) {
    const real = (): Reflected => {
      made ??= makeReflection(services);
      return made(path);
    };
    const method: MethodDefinition<object, object> = {
      ...{ path, requestStream: true, responseStream: true },
      requestSerialize: (request) => real().method.requestSerialize(request),
      requestDeserialize: (bytes) => {
        if (bytes.length > mostBytes) throw new Error(`more than ${mostBytes} bytes`);
        return real().method.requestDeserialize(bytes);
      },
      responseSerialize: (response) => real().method.responseSerialize(response),
      responseDeserialize: (bytes) => real().method.responseDeserialize(bytes),
    };
    const handle: handleBidiStreamingCall<object, object> = (call) => answerEach(call, real().answer);
    server.addService({ ServerReflectionInfo: method }, { ServerReflectionInfo: handle });
  }
}

/** Reads the next question when the answer to the last one is on its way. */
function answerEach(call: ServerDuplexStream<object, object>, answer: Reflected['answer']): void {
  call.on('end', () => void call.end());
  call.on('data', (message: object) => {
    call.pause();
    call.write(answer(message), () => call.resume());
  });
}

/** Loads in one go: a message may be there when the call is. */
function makeReflection(services: string[]): (path: string) => Reflected {
  const load = createRequire(import.meta.url);
  const { loadSync } = load('@grpc/proto-loader') as typeof loader;
  const { ReflectionService } = load('@grpc/reflection') as typeof reflection;
  const made = new Map<string, Reflected>();
  const addService = (service: ServiceDefinition, handlers: UntypedServiceImplementation) => {
    for (const [name, method] of Object.entries(service)) {
      const answer = answersOf(handlers[name] as handleBidiStreamingCall<object, object>);
      made.set(method.path, { method: method as Reflected['method'], answer });
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

/** One answer at a time from the handler of the library, which itself writes without end what nobody reads. */
function answersOf(handle: handleBidiStreamingCall<object, object>): Reflected['answer'] {
  let hear: ((message: object) => void) | undefined;
  let answer: object = {};
  const stream = {
    on: (event: string, listener: (message: object) => void) => {
      if (event === 'data') hear = listener;
    },
    write: (response: object) => {
      answer = response;
    },
    end: () => {},
  };
  handle(stream as unknown as ServerDuplexStream<object, object>);
  return (message) => {
    hear?.(message);
    return answer;
  };
}
