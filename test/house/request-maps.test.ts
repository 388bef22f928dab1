import { join } from 'node:path';
import { type AnyDefinition, loadSync, type MessageTypeDefinition } from '@grpc/proto-loader';
import { expect, test } from 'vitest';

interface Message {
  readonly field: readonly { readonly name: string; readonly typeName: string }[];
  readonly nestedType: readonly { readonly options: { readonly mapEntry?: boolean } | null }[];
}

const files = ['execution', 'warden', 'relay'].map((name) => `clawrden/v1/${name}.proto`);
const definitions = loadSync(files, { includeDirs: [join(import.meta.dirname, '../../proto')] });

function messageOf(definition: AnyDefinition | undefined): Message | undefined {
  // An enum has no field.
  if (definition === undefined || !('type' in definition) || !('field' in definition.type)) return undefined;
  return (definition as MessageTypeDefinition<object, object>).type as Message;
}

/** The messages that can stand in one, and it. */
function within(name: string, seen = new Map<string, Message>()): Map<string, Message> {
  const message = messageOf(definitions[`clawrden.v1.${name}`]);
  if (message === undefined || seen.has(name)) return seen;
  seen.set(name, message);
  for (const { typeName } of message.field) within(typeName, seen);
  return seen;
}

const hasMap = ({ nestedType }: Message) => nestedType.some(({ options }) => options?.mapEntry === true);

const requests = Object.values(definitions).flatMap((definition) =>
  'format' in definition
    ? []
    : Object.values(definition).map(({ requestType }) => (requestType.type as { name: string }).name),
);

// Generated code writes a map into an object, which takes the key `__proto__` for its prototype: it gets lost.
test('A-68: no request has a map: what narrows it is a list, of which every entry is read', () => {
  const inRequests = new Map(requests.flatMap((name) => [...within(name)]));
  expect([...inRequests].filter(([, message]) => hasMap(message)).map(([name]) => name)).toEqual([]);
  // That they are found: a start is in a request, and one of the answers has a map.
  expect(inRequests.has('Start')).toBe(true);
  expect(hasMap(messageOf(definitions['clawrden.v1.User'])!)).toBe(true);
});
