import { z } from 'zod';
import { labelKey, labelsAtMost, labelValueLength } from '../labels.ts';
import { mostOverlapSeconds, mostTtlSeconds, tokenRoles } from '../principal-limits.ts';
import { count, cursorOf, reason as plainReason, time } from './fields.ts';

const peerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must be a name of letters, 0-9, ".", "_" and "-"');

const scope = z
  .record(z.string().regex(labelKey), z.string().max(labelValueLength))
  .refine((all) => Object.keys(all).length <= labelsAtMost, `must have at most ${labelsAtMost} labels`)
  .describe('labels that an agent must have, each of them; all agents if there are none');

const role = z.enum(['viewer', 'approver', 'operator', 'admin']);
const ttlSeconds = count.min(1).max(mostTtlSeconds).optional().describe('no end if absent');
const reason = plainReason.describe('for the audit');

export const peerNamed = z.strictObject({ name: peerName });
export const reasonQuery = z.strictObject({ reason });

/** Told once: who has it comes in. */
const secret = z.string();

const link = z.strictObject({
  id: z.string().describe('what the link is called in its path'),
  principal: z.string().describe('person:NAME, oidc:SUB, slack:TEAM/USER or telegram:ID'),
});

const given = z.record(z.string(), z.string());

const provider = z.strictObject({
  subject: z.string(),
  groups: z.array(z.string()).describe('those that the provider said last'),
  rights: z
    .array(z.strictObject({ role: z.string(), scope: given }))
    .describe('a call needs one that permits it'),
  refused: z.string().optional().describe('why there are none'),
});

export const user = z.strictObject({
  name: z.string(),
  role: role.optional().describe('absent for a person of the OpenID provider'),
  scope: given,
  provider: provider.optional().describe('what the groups of a person of the OpenID provider give'),
  expiresAt: time.optional(),
  setBy: z.string(),
  setAt: time,
  links: z.array(link).describe('what is this person, too; the first 100'),
});

export type UserJson = z.infer<typeof user>;

export const users = z.strictObject({ users: z.array(user), nextCursor: cursorOf('users') });

export const userRequest = z.strictObject({
  name: peerName,
  role,
  scope: scope.optional(),
  ttlSeconds,
  replace: z.boolean().optional().describe('gives a known person other rights, and adds nobody'),
});

export const invitedUser = z.strictObject({
  user,
  code: secret.describe('gets a certificate, once (`clawrden login`); nobody is told it again'),
  codeExpiresAt: time,
});

export const linkRequest = z.strictObject({ principal: z.string().min(1).max(512), reason });

export const linkNamed = z.strictObject({
  name: peerName,
  id: z.string().regex(/^[0-9a-f]{16}$/, 'must be the id of a link'),
});

export const apiToken = z.strictObject({
  name: z.string(),
  principal: z.string().describe('whom it lets in, as KIND:NAME'),
  role: z.string(),
  scope: z.record(z.string(), z.string()),
  setBy: z.string(),
  setAt: time,
  expiresAt: time.optional(),
  usedAt: time.optional().describe('absent if it never let anybody in'),
  usedFrom: z.string(),
});

export type ApiTokenJson = z.infer<typeof apiToken>;

export const apiTokens = z.strictObject({ tokens: z.array(apiToken), nextCursor: cursorOf('tokens') });

export const tokenRequest = z.strictObject({
  name: peerName,
  role: z.enum(tokenRoles),
  scope: scope.optional(),
  agent: z.string().max(63).optional().describe('whose it is, if its role is agent'),
  ttlSeconds,
});

export const toldToken = z.strictObject({
  token: apiToken,
  text: secret.describe('what its owner has to show; nobody is told it again'),
});

export const programCode = z.strictObject({
  code: secret.describe('gets a certificate, once (`clawrden login`); nobody is told it again'),
  codeExpiresAt: time,
});

export const nothing = z.strictObject({});

export const rotateRequest = z.strictObject({
  overlapSeconds: count
    .max(mostOverlapSeconds)
    .optional()
    .describe('so long what it said before counts, too; not at all if absent'),
});

export const principalParams = z.strictObject({
  kind: z.enum(['relay', 'person', 'program', 'agent']),
  name: peerName,
});

export const revoked = z.strictObject({ revoked: z.string().describe('KIND:NAME') });
