import { expect, test } from 'vitest';
import { callFilter } from './call-filter.ts';

/** What the kernel would answer to a call: the few instructions that such a filter has. */
function answerTo(filter: Buffer, arch: number, nr: number, ...args: number[]): number {
  const data = [nr, arch, 0, 0, ...args.flatMap((arg) => [arg, 0])];
  let loaded = 0;
  for (let at = 0; ; at += 8) {
    const [code, value] = [filter.readUInt16LE(at), filter.readUInt32LE(at + 4)];
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data[value / 4] ?? 0;
    else at += 8 * filter.readUInt8(at + (holds[code]?.(loaded, value) ? 2 : 3));
  }
}

const holds: Readonly<Record<number, (loaded: number, value: number) => boolean>> = {
  0x15: (loaded, value) => loaded === value,
  0x35: (loaded, value) => loaded >= value,
  0x45: (loaded, value) => (loaded & value) !== 0,
};

const allowed = 0x7fff0000;
const failed = (errno: number) => 0x50000 + errno;

test.each([
  ['x64', 0xc000003e, { read: 0, socket: 41, ioctl: 16, kill: 62, own: [56, 272], keys: [248, 249, 250] }],
  [
    'arm64',
    0xc00000b7,
    { read: 63, socket: 198, ioctl: 29, kill: 129, own: [220, 97], keys: [217, 218, 219] },
  ],
] as const)(
  'of %s: keys, rings, AF_VSOCK, input and user namespaces fail, all else is as it was',
  (arch, id, calls) => {
    const filter = callFilter(false, arch);
    for (const call of [...calls.keys, 425, 435]) expect(answerTo(filter, id, call)).toBe(failed(38));
    expect(answerTo(filter, id, calls.socket, 40)).toBe(failed(97));
    expect(answerTo(filter, id, calls.socket, 1)).toBe(allowed);
    expect(answerTo(filter, id, calls.ioctl, 0, 0x5412)).toBe(failed(1));
    expect(answerTo(filter, id, calls.ioctl, 0, 0x541c)).toBe(failed(1));
    expect(answerTo(filter, id, calls.ioctl, 0, 0x5413)).toBe(allowed);
    expect(answerTo(filter, id, calls.read, 0)).toBe(allowed);
    expect(answerTo(filter, id, calls.kill, 0)).toBe(allowed);
    expect(answerTo(callFilter(true, arch), id, calls.kill, 0)).toBe(failed(1));
    expect(answerTo(callFilter(true, arch), id, calls.kill, 7)).toBe(allowed);
    for (const call of calls.own) {
      expect(answerTo(filter, id, call, 0x10000000)).toBe(failed(1));
      expect(answerTo(filter, id, call, 0x7e020011)).toBe(failed(1));
      expect(answerTo(filter, id, call, 0x6e020011)).toBe(allowed);
    }
    expect(answerTo(filter, 0x40000003, calls.read)).toBe(failed(38));
    expect(answerTo(filter, id, 0x40000000 + calls.read)).toBe(failed(38));
  },
);

test.each([
  ['x64', 0xc000003e, { ofProcess: [142, 144, 203, 302, 314], setpriority: 141, ioprioSet: 251 }],
  ['arm64', 0xc00000b7, { ofProcess: [118, 119, 122, 261, 274], setpriority: 140, ioprioSet: 30 }],
] as const)('A-617 P19: of %s: the first process is neither slowed nor limited', (arch, id, calls) => {
  const filter = callFilter(false, arch);
  for (const call of calls.ofProcess)
    expect([0, 1, 2, 4711].map((pid) => answerTo(filter, id, call, pid))).toEqual([
      allowed,
      failed(1),
      allowed,
      allowed,
    ]);
  for (const [call, ofOne] of [
    [calls.setpriority, 0],
    [calls.ioprioSet, 1],
  ] as const) {
    const answers = (kind: number) => [0, 1, 7].map((who) => answerTo(filter, id, call, kind, who));
    expect(answers(ofOne)).toEqual([allowed, failed(1), allowed]);
    // A group, and a user.
    for (const more of [1, 2]) expect(new Set(answers(ofOne + more))).toEqual(new Set([failed(1)]));
  }
});

test('a machine whose calls are not known has no sandbox', () => {
  expect(() => callFilter(false, 'riscv64')).toThrow(/no filter of calls for riscv64/);
});
