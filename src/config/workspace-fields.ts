import { z } from 'zod';
import { strictObject } from './check-shape.ts';
import { absolutePathField, labelsField, parsedField, sizeField } from './fields.ts';
import type { SyncConfig, WorkspaceConfig } from './gateway-config.ts';

const gib = 1024 ** 3;

const count = (most: number) => z.int().min(1).max(most);

/** More than any disk has, and exact in a number. */
const bytesField = count(1024 ** 5);

/** What the carrier takes (`shim/native/carrier/hello.c`). */
const bounds = {
  entries: count(10_000_000),
  bytes: bytesField,
  file: count(28 * gib),
  depth: count(255),
};

const volumeField = parsedField(
  (text) => (/^[A-Za-z0-9][A-Za-z0-9_.-]{1,254}$/.test(text) ? text : undefined),
  "a Docker volume's name",
);

const excludeField = parsedField(
  (text) => (isExclude(text) ? text : undefined),
  'a name, or a path from the root of the workspace, without ".", ".." and a slash at either end',
);

// The relay is told of all its agents in one message.
const excludesField = z
  .array(excludeField)
  .max(64)
  .refine((all) => Buffer.byteLength(all.join('')) <= 4096, 'must have at most 4096 bytes together');

const conflictsField = z.enum(['keep-agent', 'keep-tool']);

/** Sizes are texts in the file. */
const limitsField = strictObject({
  entries: bounds.entries.default(200_000),
  bytes: sizeField.pipe(bounds.bytes).prefault('10g'),
  file: sizeField.pipe(bounds.file).prefault('4g'),
  depth: bounds.depth.default(255),
});

const syncKeys = ['seen-by', 'host-size', 'conflicts', 'excludes', 'limits'] as const;

/** `agents[].workspace` of gateway.yaml. */
export const workspaceField = strictObject({
  volume: volumeField.optional(),
  bind: absolutePathField.optional(),
  sync: z.boolean().default(false),
  'seen-by': labelsField.optional(),
  'host-size': sizeField.pipe(bytesField).optional(),
  conflicts: conflictsField.optional(),
  excludes: excludesField.optional(),
  limits: limitsField.optional(),
})
  .refine(({ volume, bind }) => (volume === undefined) !== (bind === undefined), {
    error: 'must have either volume or bind',
  })
  .refine((raw) => raw.sync || syncKeys.every((key) => raw[key] === undefined), {
    error: `may have ${syncKeys.join(', ')} only with sync: true`,
  });

type WorkspaceFile = z.infer<typeof workspaceField>;

const carried = {
  excludes: excludesField.readonly(),
  conflicts: conflictsField,
  limits: z.strictObject(bounds).readonly(),
  target: absolutePathField,
};

/** The same values over the wire and in the relay's state. */
export const homeWorkspaceField = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('volume'), source: volumeField, ...carried }),
  z.strictObject({ kind: z.literal('bind'), source: absolutePathField, ...carried }),
]);

export function toWorkspace(raw: WorkspaceFile): WorkspaceConfig {
  const { volume, bind = '', sync } = raw;
  const home =
    volume === undefined
      ? ({ kind: 'bind', source: bind } as const)
      : ({ kind: 'volume', source: volume } as const);
  return sync ? { ...home, sync: toSync(raw) } : home;
}

function toSync(raw: WorkspaceFile): SyncConfig {
  const { conflicts = 'keep-agent', excludes = [], limits = limitsField.parse({}) } = raw;
  return {
    seenBy: raw['seen-by'] ?? {},
    hostBytes: raw['host-size'] ?? 10 * gib,
    carried: { conflicts, excludes, limits },
  };
}

function isExclude(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0') && text.split('/').every(isName);
}

function isName(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= 255;
}
