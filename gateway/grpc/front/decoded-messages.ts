import {
  type MethodDefinition,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js';
import { decodeFew, Undecodable } from '../../../src/wire/few-values.ts';
import type { Front } from './front.ts';
import { boundOf, type MessageBound, mostValues } from './message-bounds.ts';
import { reflectionPaths } from './reads.ts';

/** What every method of our servers makes of a message; `takeDecoded` hands on what is in it. */
interface Decoded {
  readonly values: number;
  readonly taken: { readonly message: unknown } | { readonly refused: string };
}

type Method = MethodDefinition<object, object>;
type Deserialize = Method['requestDeserialize'];

/** The same methods, each with the bound of its messages. */
export function withBounds(service: ServiceDefinition): ServiceDefinition {
  const bounded = Object.entries(service).map(([name, method]: [string, Method]) => [
    name,
    { ...method, requestDeserialize: deserializer(method) },
  ]);
  return Object.fromEntries(bounded) as ServiceDefinition;
}

function deserializer({ path, requestDeserialize }: Method): (bytes: Buffer) => Decoded {
  // Its library has a reader and a bound of its own.
  if (reflectionPaths.includes(path))
    return (bytes) => ({ values: 0, taken: { message: requestDeserialize(bytes) } });
  const bound = boundOf(path);
  return (bytes) => decodeWithin(bound, bytes, requestDeserialize);
}

function decodeWithin(bound: MessageBound, bytes: Buffer, deserialize: Deserialize): Decoded {
  if (bytes.length > bound.bytes)
    return { values: 0, taken: { refused: `a message of more than ${bound.bytes} bytes` } };
  try {
    const { message, values } = decodeFew(bytes, mostValues(bound, bytes[0]), deserialize);
    return { values, taken: { message } };
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
    // What grpc-js would make of an error is charged to nobody.
    return { values: error.values, taken: { refused: error.message } };
  }
}

/**
 * Charges each message for its values, and ends a call with a message that cannot be decoded or is over its bound. Goes
 * before all others.
 */
export function takeDecoded({ serving }: Pick<Front, 'serving'>): ServerInterceptor {
  return (_method, call) => {
    const now = serving();
    return new ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveMessage: ({ values, taken }: Decoded, pass) => {
            now?.decoded(values);
            if ('message' in taken) pass(taken.message);
            else call.sendStatus({ code: status.INVALID_ARGUMENT, details: taken.refused });
          },
        });
      },
    });
  };
}
