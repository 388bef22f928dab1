import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { nativeBuilds } from './native-builds.ts';

describe.each(nativeBuilds)('what the shim says itself ($name)', ({ shim }) => {
  test('A-83: is one line of ASCII, whatever is in its environment', () => {
    const socket = `/no/\u001b[2J\u009b\u202e\n\u007f${'x'.repeat(120)}`;
    const { status, stderr } = spawnSync(shim, ['install'], { env: { CLAWRDEN_SOCKET: socket } });
    expect(status).toBe(125);
    expect(stderr.toString('latin1')).toMatch(
      /^clawrden: relay-unreachable: the relay's socket \/no\/\?\[2J\?{7}x{120} [\x20-\x7e]+\n$/,
    );
  });
});
