import { z } from 'zod';
import { strictObject } from '../config/check-shape.ts';
import { absolutePathField, durationField, nameField, parsedField } from '../config/fields.ts';
import { maxArgItems } from './match-args.ts';
import { networksSchema, toolsSchema } from './tool-schema.ts';

export const actionField = z.enum(['allow', 'ask', 'deny']);

/** What people read beside a question or a refusal. */
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

const variableField = parsedField(
  (text) => (/^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(text) ? text : undefined),
  'the name of an environment variable, perhaps with * at its end',
);

const ruleSchema = strictObject({
  name: ruleNameField,
  tools: z.array(z.string()).min(1).optional(),
  args: z.array(patternField).max(maxArgItems).optional(),
  flags: z.array(flagField).min(1).max(256).optional(),
  uids: z.array(z.int().min(0).max(4_294_967_294)).min(1).optional(),
  agents: z.array(nameField).min(1).optional(),
  action: actionField,
  reason: reasonField.optional(),
  timeout: durationField.optional(),
});

export const approvalSchema = strictObject({ expires: durationField.prefault('10m') }).prefault({});

export const environmentSchema = strictObject({ allow: z.array(variableField).max(256).default([]) });

/** Policy version 1 as it is written. */
export const policySchema = strictObject({
  version: z.literal(1),
  default: actionField.default('deny'),
  workspace: absolutePathField.prefault('/app'),
  timeout: durationField.prefault('5m'),
  approval: approvalSchema,
  environment: environmentSchema.prefault({}),
  tools: toolsSchema.default({}),
  networks: networksSchema.default({}),
  rules: z.array(ruleSchema).default([]),
  complete: z.literal(true, {
    error: (issue) =>
      issue.input === undefined
        ? 'is missing: the file may be half-written (its last line must be "complete: true")'
        : 'must be true',
  }),
});

export type PolicyFile = z.infer<typeof policySchema>;
