import { describe, expect, test } from 'vitest';
import { ClawrdenError } from '../../../src/errors.ts';
import { EngineTimeout } from './deadline.ts';
import { toEngineError } from './engine-errors.ts';

/** Errors as dockerode makes them. */
function answer(statusCode: number, message: string): Error {
  return Object.assign(new Error(`(HTTP code ${statusCode}) some words - ${message} `), {
    statusCode,
    json: { message },
  });
}

function broken(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

describe('what an engine says becomes an error code', () => {
  test.each([
    [404, 'No such image: node:24', 'image-missing'],
    [
      400,
      'invalid mount config for type "bind": bind source path does not exist: /srv/x',
      'workspace-missing',
    ],
    [404, 'network clawrden-egress not found', 'no-host'],
    [404, 'No such container: abc', 'internal'],
    [400, 'invalid memory limit', 'internal'],
    [409, 'Conflict. The container name is in use', 'internal'],
    [301, 'Moved', 'host-lost'],
    [401, 'unauthorized', 'host-lost'],
    [403, 'authorization denied by plugin', 'host-lost'],
    [500, 'no space left on device', 'host-lost'],
    [503, 'This node is not a swarm manager', 'host-lost'],
  ])('%i %s: %s', (status, message, code) => {
    expect(toEngineError(answer(status, message), 'build-1')).toMatchObject({
      code,
      message: expect.stringMatching(/^host build-1: /),
    });
  });

  test.each([
    broken('ECONNREFUSED'),
    broken('ECONNRESET'),
    broken('ENOENT'),
    broken('EHOSTUNREACH'),
    broken('CERT_HAS_EXPIRED'),
    broken('HPE_INVALID_CONSTANT'),
    new EngineTimeout('no answer within 10 s'),
  ])('a connection that fails is host-lost: %s', (error) => {
    expect(toEngineError(error, 'build-1').code).toBe('host-lost');
  });

  test('a fault of ours stays one', () => {
    expect(toEngineError(new TypeError('x is not a function'), 'build-1').code).toBe('internal');
  });

  test('what has a code keeps it', () => {
    const error = new ClawrdenError('start-timeout', 'late');
    expect(toEngineError(error, 'build-1')).toBe(error);
  });

  test('A-373: of a long message 1 KiB is kept', () => {
    const { message } = toEngineError(answer(500, '€'.repeat(1_000_000)), 'h');
    expect(message).toBe(`host h: ${'€'.repeat(341)}`);
  });

  test('the text is one line', () => {
    expect(toEngineError(answer(500, 'one\ntwo\r\nthree'), 'h').message).toBe('host h: one two three');
  });
});
