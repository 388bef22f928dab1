import { expect, test } from 'vitest';
import type { GhostShape } from '../../ports/engine.ts';
import { shapeKey } from './ghost-shape.ts';

const shape: GhostShape = {
  agent: 'coder',
  image: { reference: 'node:24', id: 'sha256:1' },
  uid: 1000,
  gid: 1000,
  mounts: [{ kind: 'bind', source: '/srv/coder', target: '/app' }],
  following: 'its home',
  network: 'none',
  memoryBytes: 1024,
  cpus: 1,
  pids: 64,
};

test('the key changes with every part of the shape', () => {
  const others: GhostShape[] = [
    { ...shape, agent: 'other' },
    { ...shape, image: { reference: 'node:22', id: 'sha256:1' } },
    { ...shape, image: { reference: 'node:24', id: 'sha256:2' } },
    { ...shape, uid: 1001 },
    { ...shape, gid: 1001 },
    { ...shape, mounts: [] },
    { ...shape, mounts: [{ kind: 'volume', source: '/srv/coder', target: '/app' }] },
    { ...shape, mounts: [{ kind: 'bind', source: '/srv/other', target: '/app' }] },
    { ...shape, mounts: [{ kind: 'bind', source: '/srv/coder', target: '/src' }] },
    { ...shape, following: 'another home' },
    { ...shape, network: 'egress' },
    { ...shape, memoryBytes: 2048 },
    { ...shape, cpus: 2 },
    { ...shape, pids: 65 },
  ];
  const keys = [shape, ...others].map(shapeKey);
  expect(new Set(keys).size).toBe(keys.length);
  expect(others).toHaveLength(Object.keys(shape).length + 4);
});

test('the key does not change with the order in which a shape was written', () => {
  const { agent, mounts, image, ...rest } = shape;
  const reordered = { mounts, ...rest, image: { id: image.id, reference: image.reference }, agent };
  expect(shapeKey(reordered)).toBe(shapeKey(shape));
});
