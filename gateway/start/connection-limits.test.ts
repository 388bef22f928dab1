import { expect, test } from 'vitest';
import { connectionLimits } from './connection-limits.ts';

const wanted = { connections: 4096, connectionsPerAddress: 256, running: 200 };

test('A-88: connections leave descriptors for the audit and the engines', () => {
  expect(connectionLimits(wanted, 1_000_000)).toEqual({
    grpc: { connections: 4096, perAddress: 256 },
    http: { connections: 1024, perAddress: 256 },
  });
  expect(connectionLimits(wanted, 1024)).toEqual({
    grpc: { connections: 285, perAddress: 256 },
    http: { connections: 95, perAddress: 95 },
  });
  expect(connectionLimits(wanted, 752)).toEqual({
    grpc: { connections: 81, perAddress: 81 },
    http: { connections: 27, perAddress: 27 },
  });
  expect(() => connectionLimits(wanted, 600)).toThrow(
    '600 files may be open, and limits.running: 200 needs 660; raise the limit',
  );
  expect(connectionLimits(wanted).grpc.connections).toBeGreaterThan(0);
});
