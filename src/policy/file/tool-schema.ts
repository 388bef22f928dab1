import { z } from 'zod';
import { strictObject } from '../../config/check-shape.ts';
import { durationField, nameField, parsedField, sizeField } from '../../config/fields.ts';
import { type Destination, parseDestination } from '../../egress/destination.ts';
import { toolData } from '../arguments/tools/tool-data.ts';
import { smallLetters } from '../small-letters.ts';
import { withoutEffect } from '../without-effect.ts';

const minMemoryBytes = 16 * 1024 ** 2;

const imageField = parsedField(
  (text) => (/^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,511}$/.test(text) ? text : undefined),
  "an image's name like node:24 or alpine/git",
);

const memoryField = sizeField.refine((bytes) => bytes >= minMemoryBytes, 'must be at least 16m');

/** Docker's own modes would share the network of the host or of another container. */
const sharedNetworks: ReadonlySet<string> = new Set(['host', 'none', 'default']);

const dockerNetworkField = parsedField(
  (text) =>
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$/.test(text) && !sharedNetworks.has(smallLetters(text))
      ? text
      : undefined,
  'the name of a Docker network (not host, none or default)',
);

/** An exchange with a workspace's home; more often it would do nothing else. */
const leastLiveMs = 200;

export const variableField = parsedField(
  (text) => (/^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(text) ? text : undefined),
  'the name of an environment variable, perhaps with * at its end',
);

const mostSecrets = 16;

/** As what a tool may be given a secret. PATH and HOME are the ghost's own. */
function isSecretPlace(text: string): boolean {
  if (text.includes('/')) return /^\/run\/secrets\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,62}$/.test(text);
  return /^(?!__)[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(text) && text !== 'PATH' && text !== 'HOME';
}

const secretsField = z
  .record(z.string(), nameField)
  .refine((secrets) => Object.keys(secrets).length <= mostSecrets, `must be ${mostSecrets} at most`)
  .superRefine((secrets, context) => {
    for (const place of Object.keys(secrets).filter((each) => !isSecretPlace(each)))
      context.addIssue({
        code: 'custom',
        path: [place],
        message: 'must be the name of a variable (not PATH or HOME), or a file like /run/secrets/NAME',
      });
  });

/** How a command runs: set by its tool, or by a rule that overrides the tool. */
export const runFields = {
  strategy: z.enum(['ghost', 'mirror', 'passthrough']).optional(),
  image: imageField.optional(),
  network: z.string().optional(),
  'egress-bytes': strictObject({ up: sizeField.optional(), down: sizeField.optional() }).optional(),
  secrets: secretsField.optional(),
  unmasked: z.literal(true).optional(),
  memory: memoryField.optional(),
  cpus: z.number().min(0.01).max(1024).optional(),
  pids: z.int().min(4).max(1_000_000).optional(),
  stdin: z.enum(['pipe', 'none']).optional(),
  'idle-timeout': durationField.optional(),
  output: sizeField.optional(),
  'file-size': sizeField.optional(),
  environment: z.array(variableField).max(64).optional(),
  record: z.enum(['none', 'head-tail', 'full']).optional(),
  workspace: z.enum(['write', 'read', 'none']).optional(),
  isolation: z.literal('session').optional(),
  live: durationField.refine((ms) => ms >= leastLiveMs, 'must be at least 200ms').optional(),
};

/** What a tool says, wherever it is defined. */
export const toolFields = {
  ...runFields,
  strategy: z.enum(['ghost', 'mirror', 'passthrough', 'fetch']),
  otherwise: z.enum(['allow', 'ask', 'deny']).optional(),
  timeout: durationField.optional(),
  'forbid-characters': z.string().min(1).max(256).optional(),
  arguments: toolData.optional(),
};

const toolSchema = strictObject(toolFields).superRefine(checkTool);

/** Adds an issue for each key that is missing, or that would promise what is not kept. */
export function checkTool(tool: ToolsFile[string], context: z.RefinementCtx): void {
  if (tool.strategy === 'ghost' && tool.image === undefined) {
    context.addIssue({ code: 'custom', path: ['image'], message: 'is missing: a ghost runs in an image' });
  }
  if (tool.unmasked === true && tool.secrets === undefined) {
    context.addIssue({ code: 'custom', path: ['unmasked'], message: 'has an effect only with secrets' });
  }
  for (const key of withoutSession(tool))
    context.addIssue({ code: 'custom', path: [key], message: noneInSession });
  for (const key of withoutEffect[tool.strategy]) {
    if (tool[key] === undefined) continue;
    context.addIssue({
      code: 'custom',
      path: [key],
      message: `has no effect with strategy ${tool.strategy}`,
    });
  }
}

export const noneInSession =
  'is not to be had in a session: isolation: session goes without network and secrets';

/** What a session is not given, whatever asks for it. */
export function withoutSession(run: Pick<RunFields, 'isolation' | SessionKey>): readonly SessionKey[] {
  if (run.isolation !== 'session') return [];
  return sessionKeys.filter((key) => run[key] !== undefined && run[key] !== 'none');
}

const sessionKeys = ['network', 'egress-bytes', 'secrets'] as const;

type SessionKey = (typeof sessionKeys)[number];

export const toolsSchema = z.record(z.string(), toolSchema);

const mostDestinations = 256;
const mostRoutes = 64;

const routeNameField = parsedField(
  (text) => (/^[a-z][a-z0-9-]{0,62}$/.test(text) ? text : undefined),
  'the name of a route of gateway.yaml',
);

/** `NAME:PORT`, or with `private: true`. */
const destinationField = z
  .union([z.string(), strictObject({ to: z.string(), private: z.literal(true).optional() })], {
    error: 'must be NAME:PORT, or { to: NAME:PORT, private: true }',
  })
  .transform((written, context): Destination => {
    const { to, private: mayBePrivate = false } =
      typeof written === 'string' ? { to: written, private: false } : written;
    const result = parseDestination(to, mayBePrivate);
    if ('value' in result) return result.value;
    context.addIssue({ code: 'custom', message: result.what });
    return z.NEVER;
  });

const networkSchema = strictObject({
  'docker-network': dockerNetworkField.optional(),
  allow: z.array(destinationField).min(1).max(mostDestinations).optional(),
  routes: z.array(routeNameField).min(1).max(mostRoutes).optional(),
}).refine(isOfOneKind, { error: 'must have either allow, routes or both, or docker-network' });

function isOfOneKind(network: {
  readonly 'docker-network'?: unknown;
  readonly allow?: unknown;
  readonly routes?: unknown;
}): boolean {
  const goesByName = network.allow !== undefined || network.routes !== undefined;
  return (network['docker-network'] !== undefined) !== goesByName;
}

export const networksSchema = z.record(z.string(), networkSchema);

export type ToolsFile = Record<string, ToolOfFile>;

type ToolOfFile = z.infer<z.ZodObject<typeof toolFields>>;

export type NetworksFile = z.infer<typeof networksSchema>;

type RunKey = keyof typeof runFields;

export const runKeys = Object.keys(runFields) as readonly RunKey[];

export type RunFields = { readonly [Key in RunKey]?: ToolsFile[string][Key] | undefined };
