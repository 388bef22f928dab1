import { z } from 'zod';
import { strictObject } from '../../config/check-shape.ts';
import {
  absolutePathField,
  durationField,
  labelsField,
  nameField,
  parsedField,
} from '../../config/fields.ts';
import { doors } from '../policy.ts';
import { maxArgItems } from '../rules/match-args.ts';
import { networksSchema, runFields, runKeys, toolsSchema, variableField } from './tool-schema.ts';

export const actionField = z.enum(['allow', 'ask', 'deny']);

/** Text that people read beside a question or a refusal. */
export const reasonField = parsedField(
  (text) => (/^[^\p{Cc}]{1,500}$/u.test(text) ? text : undefined),
  'one line of 1 to 500 characters',
);

const ruleNameField = parsedField(
  (text) => (/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text) ? text : undefined),
  'a name of letters, digits, ".", "_" and "-" (up to 63)',
);

const patternField = z.string().max(1024);

const flagField = parsedField(
  (text) =>
    /^-(?:[^-=\s]|-[^-=\s][^=\s]*|[^-=\s][^=\s]+)$/.test(text) && text.length <= 255 ? text : undefined,
  'a flag like -g or --global, without "="',
);

const perMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const rateField = parsedField((text) => {
  const [, count, unit = ''] = /^([1-9]\d{0,3})\/([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : { most: Number(count), perMs: perMs[unit] ?? 0 };
}, 'a rate like 10/m: so many in a second (s), minute (m), hour (h) or day (d), at most 9999');

/** Each key narrows who counts. */
const approversSchema = strictObject({
  role: z.enum(['approver', 'operator', 'admin']).optional(),
  names: z.array(nameField).min(1).max(64).optional(),
}).refine(({ role, names }) => role !== undefined || names !== undefined, {
  error: 'must have role or names',
});

const ruleSchema = strictObject({
  name: ruleNameField,
  tools: z.array(z.string()).min(1).optional(),
  args: z.array(patternField).max(maxArgItems).optional(),
  flags: z.array(flagField).min(1).max(256).optional(),
  uids: z.array(z.int().min(0).max(4_294_967_294)).min(1).optional(),
  agents: z.array(nameField).min(1).optional(),
  labels: labelsField.optional(),
  cwd: z.array(absolutePathField).min(1).max(64).optional(),
  subcommands: z.array(z.string()).min(1).max(256).optional(),
  'safe-arguments': z.literal(true).optional(),
  'runs-anything': z.literal(true).optional(),
  action: actionField,
  reason: reasonField.optional(),
  instead: reasonField.optional(),
  timeout: durationField.optional(),
  rate: rateField.optional(),
  approvals: z.int().min(1).max(8).optional(),
  approvers: approversSchema.optional(),
  'answer-in': z.array(z.enum(doors)).min(1).max(doors.length).optional(),
  remind: durationField.optional(),
  escalate: strictObject({ after: durationField, to: nameField }).optional(),
  ...runFields,
}).superRefine((rule, context) => {
  const { approvals = 1, approvers: { names } = {} } = rule;
  for (const key of askOnly)
    if (rule.action !== 'ask' && rule[key] !== undefined)
      context.addIssue({ code: 'custom', path: [key], message: 'has an effect only with action ask' });
  if (names !== undefined && new Set(names).size < names.length)
    context.addIssue({ code: 'custom', path: ['approvers', 'names'], message: 'has a name twice' });
  if (names !== undefined && new Set(names).size < approvals)
    context.addIssue({
      code: 'custom',
      path: ['approvers', 'names'],
      message: `are fewer than the ${approvals} who must say yes`,
    });
  if (rule.action !== 'deny') {
    if (rule.instead === undefined) return;
    context.addIssue({ code: 'custom', path: ['instead'], message: 'has an effect only with action deny' });
    return;
  }
  for (const key of withoutEffectOnDenial) {
    if (rule[key] === undefined) continue;
    context.addIssue({ code: 'custom', path: [key], message: 'has no effect with action deny' });
  }
});

const askOnly = ['approvals', 'approvers', 'answer-in', 'remind', 'escalate'] as const;

/** What says how a command runs, and what it needs to be allowed. */
const withoutEffectOnDenial = ['rate', 'safe-arguments', 'runs-anything', ...runKeys] as const;

const conditions = ['repeats', 'failures', 'rate'] as const;

const breakerSchema = strictObject({
  name: ruleNameField,
  repeats: z.int().min(2).max(10_000).optional(),
  failures: z.int().min(1).max(10_000).optional(),
  rate: rateField.optional(),
  agents: z.array(nameField).min(1).optional(),
  action: z.enum(['refuse', 'pause']),
  reason: reasonField.optional(),
}).refine((breaker) => conditions.filter((key) => breaker[key] !== undefined).length === 1, {
  error: `must have one of ${conditions.join(', ')}`,
});

export const approvalSchema = strictObject({ expires: durationField.prefault('10m') }).prefault({});

export const environmentSchema = strictObject({ allow: z.array(variableField).max(256).default([]) });

/** A mount at /run would make the engine create `secrets` in the workspace, as root. */
const workspaceField = absolutePathField.refine((path) => !/^\/run(\/secrets(\/.*)?)?$/.test(path), {
  error: 'has no room beside /run/secrets, which every ghost has: choose another',
});

/** Policy version 1 as a person writes it. */
export const policySchema = strictObject({
  version: z.literal(1),
  mode: z.enum(['enforce', 'shadow']).default('enforce'),
  default: actionField.default('deny'),
  workspace: workspaceField.prefault('/app'),
  timeout: durationField.prefault('5m'),
  approval: approvalSchema,
  environment: environmentSchema.prefault({}),
  tools: toolsSchema.default({}),
  networks: networksSchema.default({}),
  rules: z.array(ruleSchema).default([]),
  breakers: z.array(breakerSchema).max(32).default([]),
  complete: z.literal(true, {
    error: (issue) =>
      issue.input === undefined
        ? 'is missing: the file may be half-written (its last line must be "complete: true")'
        : 'must be true',
  }),
});

export type PolicyFile = z.infer<typeof policySchema>;
