import { z } from 'zod';
import { errorCodes } from '../errors.ts';
import { commandLimits } from '../policy/request/check-command.ts';
import { consent, count } from './fields.ts';

export const policy = z.strictObject({
  hash: z.string(),
  text: z.string(),
  problem: z.string().describe('empty, or why the present file is not in force'),
});

export const explainRequest = z.strictObject({
  agent: z.string().max(63).describe('empty for an orchestrator without an agent'),
  tool: z.string().min(1).max(255),
  args: z.array(z.string()).max(commandLimits.args),
  uid: count.max(4_294_967_294).optional().describe("the first of the agent's users if absent"),
  cwd: z.string().max(4096).optional(),
});

/** Absent if nobody would be asked. */
const optionalConsent = z.strictObject(consent).partial().shape;

export const explanation = z.strictObject({
  action: z.enum(['allow', 'deny', 'ask']),
  rule: z.string(),
  line: count.describe('of the rule in the policy file; 0 if no rule decided'),
  reason: z.string(),
  code: z.enum(['', ...errorCodes]),
  policyHash: z.string(),
  plan: z.string().describe('canonical JSON of the plan that would be made; empty if denied'),
  problem: z.string().describe('why no plan can be made just now'),
  questionSeconds: count.describe('how long a question would wait; 0 if nobody would be asked'),
  ...optionalConsent,
  known: z.string().describe('where it comes from how the tool reads its arguments'),
});

export const policyText = z.strictObject({
  text: z
    .string()
    .max(2 * 1024 * 1024)
    .describe('of a policy file, with its last line'),
  force: z.boolean().optional().describe('take errors for warnings'),
});

const findings = z
  .array(z.string().describe('with its line'))
  .max(101)
  .describe('the first 100, and how many more');

export const policyReport = z.strictObject({
  file: z.literal('policy.yaml').describe('the name of the text in each line'),
  ok: z.boolean(),
  version: count.optional().describe('absent if it is no policy, as hash is'),
  hash: z.string().optional(),
  problems: findings.describe('why it is no policy'),
  errors: findings.describe('what no policy should say'),
  warnings: findings,
});
