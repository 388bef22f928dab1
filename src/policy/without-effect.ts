import type { Strategy } from '../plan.ts';

const all = [
  'image',
  'network',
  'egress-bytes',
  'memory',
  'cpus',
  'pids',
  'stdin',
  'timeout',
  'idle-timeout',
  'output',
  'file-size',
  'environment',
  'record',
  'workspace',
  'live',
  'isolation',
  'secrets',
  'unmasked',
] as const;

/**
 * Keys of a tool that would promise what cannot be kept, by its strategy: a mirror runs in the agent's
 * container, a passthrough out of the gateway's sight, and a fetch starts nothing.
 */
export const withoutEffect = {
  ghost: [],
  mirror: [
    'image',
    'network',
    'egress-bytes',
    'memory',
    'cpus',
    'pids',
    'workspace',
    'live',
    'isolation',
    'secrets',
    'unmasked',
  ],
  passthrough: all,
  fetch: all.filter((key) => !['network', 'timeout', 'record'].includes(key)),
  help: all,
} as const satisfies Record<Strategy, readonly string[]>;

export type KeyWithoutEffect = (typeof all)[number];

/** Whether anything enforces the key where a command runs like that. */
export function hasEffect(key: KeyWithoutEffect, strategy: Strategy): boolean {
  const without: readonly KeyWithoutEffect[] = withoutEffect[strategy];
  return !without.includes(key);
}
