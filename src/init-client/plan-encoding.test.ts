import { expect, test } from 'vitest';
import { encodePlan, type InitPlan } from './plan-encoding.ts';

const plan: InitPlan = {
  mirror: true,
  stdinNone: false,
  terminal: false,
  confine: true,
  inspect: true,
  network: true,
  leave: true,
  stdio: ['pipe', 'null', 'same'],
  umask: 0o22,
  cols: 80,
  rows: 24,
  ignored: [1, 64],
  blocked: [15],
  runMs: 300_000,
  idleMs: 1,
  outputBytes: 2 ** 40,
  fileBytes: 5,
  cwd: '/app',
  workspace: '',
  argv: ['é'],
  env: [],
  operands: ['x'],
  expected: ['unseen: y'],
  files: [{ path: '/run/secrets/a', text: 'b' }],
};

test('encodes a plan byte for byte as the wire page lists it', () => {
  const expected = [
    '04', // version
    '79', // mirror + confine + inspect + network + leave
    '020104', // pipe, null, same
    '0012', // umask
    '00500018', // 80 × 24
    '8000000000000001', // signals 64 and 1
    '0000000000004000', // signal 15
    '000493e0', // run
    '00000001', // idle
    '0000010000000000', // output
    '0000000000000005', // file
    '00000004 2f617070 00', // cwd
    '00000000 00', // workspace
    '0001 00000002 c3a9 00', // argv
    '0000', // env
    '0001 00000001 78 00', // operands
    '0001 00000009 756e7365656e3a2079 00', // expected
    '0002 0000000e 2f72756e2f736563726574732f61 00 00000001 62 00', // files
  ];
  expect(encodePlan(plan).toString('hex')).toBe(expected.join('').replaceAll(' ', ''));
});

test('refuses what the wire cannot say', () => {
  expect(() => encodePlan({ ...plan, argv: ['a\0b'] })).toThrow(RangeError);
  expect(() => encodePlan({ ...plan, ignored: [0] })).toThrow(RangeError);
  expect(() => encodePlan({ ...plan, umask: -1 })).toThrow(RangeError);
  expect(() => encodePlan({ ...plan, env: Array.from({ length: 65_536 }, () => 'A=b') })).toThrow(RangeError);
});
