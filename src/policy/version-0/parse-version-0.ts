import { z } from 'zod';
import { checkShape, strictObject } from '../../config/check-shape.ts';
import { durationField, parsedField } from '../../config/fields.ts';
import type { YamlSource } from '../../config/read-yaml.ts';
import { buildNetworks } from '../file/build-networks.ts';
import { buildTools, findToolProblems } from '../file/build-tools.ts';
import { actionField, approvalSchema, environmentSchema, reasonField } from '../file/policy-schema.ts';
import { networksSchema, toolsSchema } from '../file/tool-schema.ts';
import type { LegacyRule, PolicyResult, ToolDefinition } from '../policy.ts';
import { warnAboutVariables } from '../request/dangerous-variables.ts';
import { normalizeCwd } from '../request/normalize-cwd.ts';
import { isToolName } from '../request/tool-name.ts';
import { mirrorTool } from '../tool-defaults.ts';
import { compileLegacyGlob } from './legacy-glob.ts';

const legacyEnvironment = { allow: ['LANG', 'LC_*', 'TERM', 'TZ', 'NODE_ENV', 'CI'] };

const legacyRule = strictObject({
  command: z.string().min(1).max(255),
  action: actionField,
  args: z.array(z.string().min(1).max(1024)).max(256).default([]),
  reason: reasonField.optional(),
  timeout: durationField.optional(),
});

/**
 * Only whole subtrees: for a pattern in the middle of a path, the gateway would have to read the agent's file system.
 */
const allowedPathField = parsedField((text) => {
  const root = normalizeCwd(text.endsWith('/*') ? text.slice(0, -2) : text, '/');
  return root === undefined || root === '/' || root.includes('*') ? undefined : root;
}, 'a directory like /app/*');

const jail = strictObject({
  commands: z.array(z.string()).default([]),
  hardened: z.boolean().default(false),
});

const legacySchema = strictObject({
  default_action: actionField.default('deny'),
  default_timeout: durationField.prefault('2m'),
  allowed_paths: z.array(allowedPathField).min(1).default(['/app', '/tmp']),
  jails: z.record(z.string(), jail).default({}),
  rules: z.array(legacyRule).default([]),
  // From version 1, so that a tool of an old policy can run in a ghost.
  tools: toolsSchema.default({}),
  networks: networksSchema.default({}),
  approval: approvalSchema,
  environment: environmentSchema.default(legacyEnvironment),
  complete: z.literal(true).optional(),
});

type LegacyFile = z.infer<typeof legacySchema>;

/** The first Clawrden's format, with its old meaning; if that is unsafe, a warning says so. */
export function parseVersion0(source: YamlSource, hash: string): PolicyResult {
  const shape = checkShape(legacySchema, source);
  if ('problems' in shape) {
    const hint = source.problem([], 'without "version: 1" it is read as the format of the first Clawrden');
    return { problems: [...shape.problems, hint] };
  }
  const raw = shape.value;
  const problems = [
    ...findToolProblems(raw.tools, raw.networks, source),
    ...findTaughtTools(raw, source),
    ...findBadGlobs(raw, source),
  ];
  if (problems.length > 0) return { problems };
  const roots = raw.allowed_paths.toSorted((a, b) => Number(b === '/app') - Number(a === '/app'));
  return {
    policy: {
      version: 0,
      hash,
      mode: 'enforce',
      defaultAction: raw.default_action,
      workspace: roots[0] ?? '/app',
      roots,
      timeoutMs: raw.default_timeout,
      approvalExpiresMs: raw.approval.expires,
      environment: raw.environment.allow,
      tools: toolsOf(raw),
      rules: raw.rules.map((rule, index) => toRule(rule, index, source)),
      breakers: [],
      warnings: [...warnAboutFormat(raw, source), ...warnAboutVariables(raw.environment.allow, source)],
    },
  };
}

/** What only rules of version 1 look at is refused, so that nobody relies on it. */
function findTaughtTools({ tools }: LegacyFile, source: YamlSource): string[] {
  const taught = Object.entries(tools).filter(([, tool]) => tool.arguments !== undefined);
  return taught.map(([name]) =>
    source.problem(
      ['tools', name, 'arguments'],
      'has no effect in this format; only rules of version 1 read it',
    ),
  );
}

function findBadGlobs({ rules }: LegacyFile, source: YamlSource): string[] {
  return rules.flatMap(({ command }, index) =>
    compileLegacyGlob(command) === undefined
      ? source.problem(['rules', index, 'command'], 'is not a well-formed pattern')
      : [],
  );
}

/** Every tool that the file names, so that each can be linked into a jail. */
function toolsOf(raw: LegacyFile): ReadonlyMap<string, ToolDefinition> {
  const named = [
    ...raw.rules.map(({ command }) => command),
    ...Object.values(raw.jails).flatMap(({ commands }) => commands),
  ];
  return new Map([
    ...named.filter(isToolName).map((name) => [name, mirrorTool(name, raw.default_timeout)] as const),
    ...buildTools(raw.tools, buildNetworks(raw.networks), raw.default_timeout),
  ]);
}

function toRule(raw: LegacyFile['rules'][number], index: number, source: YamlSource): LegacyRule {
  const name = `rule-${index + 1}`;
  return {
    name,
    action: raw.action,
    reason: raw.reason ?? `the rule for "${raw.command}" says so`,
    line: source.lineOf(['rules', index]),
    command: compileLegacyGlob(raw.command) ?? [],
    substrings: raw.args,
    ...(raw.timeout === undefined ? {} : { timeoutMs: raw.timeout }),
  };
}

function warnAboutFormat(raw: LegacyFile, source: YamlSource): string[] {
  const hardened = Object.entries(raw.jails).filter(([, one]) => one.hardened);
  return [
    source.problem([], 'this is the format of the first Clawrden: the first rule that matches wins'),
    ...(raw.complete === undefined
      ? [
          source.problem(
            [],
            'without "complete: true" at its end a half-written file cannot be told from a whole one',
          ),
        ]
      : []),
    ...hardened.map(([name]) =>
      source.problem(
        ['jails', name, 'hardened'],
        'hardening is not part of a policy any more and is left out',
      ),
    ),
    ...(raw.default_action === 'deny'
      ? []
      : [
          source.problem(
            ['default_action'],
            `${raw.default_action} makes every tool of the agent's container reachable, also those that no rule names`,
          ),
        ]),
    ...raw.rules.flatMap((rule, index) => warnAboutRule(rule, ['rules', index], source)),
  ];
}

function warnAboutRule(
  { command, action, args }: LegacyFile['rules'][number],
  path: readonly PropertyKey[],
  source: YamlSource,
): string[] {
  if (args.length > 0 && action === 'deny') {
    const what = `${command}: the same can be written without ${JSON.stringify(args[0])} in the line; version 1 has flags and args`;
    return [source.problem([...path, 'args'], what)];
  }
  if (args.length > 0 && action === 'allow') {
    const what = `${command}: any command line with ${JSON.stringify(args[0])} somewhere in it is allowed`;
    return [source.problem([...path, 'args'], what)];
  }
  const isWide = /[*?[]/.test(command) && action === 'allow';
  return isWide
    ? [source.problem([...path, 'command'], `"${command}" allows tools that it does not name`)]
    : [];
}
