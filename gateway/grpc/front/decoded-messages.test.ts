import type { MethodDefinition } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { ExecutionServiceService } from '../../../src/gen/clawrden/v1/execution.ts';
import { WardenServiceService } from '../../../src/gen/clawrden/v1/warden.ts';
import { withBounds } from './decoded-messages.ts';

const values = (count: number) => Buffer.alloc(2 * count, Buffer.from([0x7a, 0]));
/** A field that is longer than the message. */
const broken = (count: number) => Buffer.concat([values(count), Buffer.from([0x7a, 100])]);

test.each([
  ['a command', ExecutionServiceService, 'execute', 30_000],
  ['a question', WardenServiceService, 'explainCommand', 30_000],
  ['any other', WardenServiceService, 'listHosts', 200],
])(
  'A-471 P20: %s that breaks behind many values is refused, and is paid for',
  (_what, service, name, count) => {
    const method = withBounds(service)[name] as MethodDefinition<unknown, unknown>;
    const refused = 'a message that cannot be decoded';
    const decoded = method.requestDeserialize(broken(count));
    expect(decoded).toMatchObject({ taken: { refused } });
    const { values: paid } = decoded as { values: number };
    expect(paid).toBeGreaterThanOrEqual(count);
    expect(paid).toBeLessThan(count + 3);
    expect(method.requestDeserialize(values(count))).toMatchObject({ taken: { message: {} } });
  },
);
