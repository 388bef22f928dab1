import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCostly } from './costly-json.ts';

const container = {
  Id: 'a'.repeat(64),
  Names: ['/clawrden-ghost-1'],
  Image: 'node:24 "with \\ quotes [[[{{{"',
  ImageID: `sha256:${'b'.repeat(64)}`,
  Command: '/.clawrden/init',
  Ports: [{ PrivatePort: 80, Type: 'tcp' }],
  Labels: { 'dev.clawrden.gateway': 'c'.repeat(32) },
  State: 'running',
  HostConfig: { NetworkMode: 'none' },
  NetworkSettings: { Networks: { none: { Links: null, Aliases: null, IPAddress: '', Gateway: '' } } },
  Mounts: [{ Type: 'volume', Name: 'v', Destination: '/.clawrden' }],
};
const image = {
  Id: 'sha256:1',
  ParentId: '',
  RepoTags: ['a:1'],
  RepoDigests: [],
  Size: 1,
  Labels: null,
  SharedSize: -1,
};
const volume = {
  CreatedAt: '',
  Driver: 'local',
  Labels: {},
  Mountpoint: '/v/_data',
  Name: 'v1',
  Options: null,
  Scope: 'local',
};
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

test('what an engine says of thousands of things is parsed, in whatever text', () => {
  for (const one of [container, image, volume])
    expect(isCostly(bytesOf(Array.from({ length: 5000 }, () => one)))).toBe(false);
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(isCostly(bytesOf(Array.from({ length: 3000 }, () => ({ ...volume, text }))))).toBe(false);
    }),
    { numRuns: 20 },
  );
});

test('an image that exposes all ports is parsed', () => {
  const ports = Array.from({ length: 65_535 }, (_, n) => [`${n + 1}/udp`, {}]);
  expect(isCostly(bytesOf({ ...image, Config: { ExposedPorts: Object.fromEntries(ports) } }))).toBe(false);
});

test('A-523 P20: JSON nested deep, or in very many parts, is not parsed, wherever that stands in an answer', () => {
  const parts = fc.constantFrom('[],', '{},', '[[]],', '{"":{}},', '[[[[]]]],', '[1],');
  const nests = fc.constantFrom(['{"a":', '}'], ['[', ']'], ['[{"a":', '}]']);
  fc.assert(
    fc.property(parts, nests, fc.boolean(), (part, [open = '', close = ''], isDeep) => {
      const hostile = isDeep
        ? `${open.repeat(50_000)}1${close.repeat(50_000)}`
        : `[${part.repeat(400_000)}1]`;
      expect(isCostly(Buffer.from(hostile))).toBe(true);
      const list = bytesOf(Array.from({ length: 100 }, () => container)).toString();
      expect(isCostly(Buffer.from(list.replace('"State":', `"x":${hostile},"State":`)))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('A-550 P20: an answer of less than a megabyte has fewer parts than an image that exposes all ports', () => {
  for (const part of ['[],', '{},', '{"":{}},']) {
    const hostile = `[${part.repeat(900_000 / part.length)}1]`;
    expect(hostile.length).toBeLessThan(1024 * 1024);
    expect([part, isCostly(Buffer.from(hostile))]).toEqual([part, true]);
  }
});
