import { z } from 'zod';
import { strictObject } from './check-shape.ts';
import { labelsField, parsedField } from './fields.ts';
import { isLoopback } from './loopback.ts';
import { groupRoles, type OidcConfig } from './oidc-config.ts';
import { secretField, secretIn } from './secret-field.ts';

const claimField = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be the name of a claim');

export const oidcSchema = strictObject({
  issuer: parsedField(parseIssuer, 'https://HOST[/PATH], or http:// to this machine'),
  private: z.boolean().default(false),
  'client-id': z.string().min(1).max(255),
  'client-secret': secretField,
  'name-claim': claimField.default('preferred_username'),
  'groups-claim': claimField.default('groups'),
  groups: z
    .record(
      z.string().min(1).max(255),
      strictObject({ role: z.enum(groupRoles), agents: labelsField.default({}) }),
    )
    .refine((groups) => Object.keys(groups).length > 0, 'must name a group, or nobody can sign in')
    .refine((groups) => Object.keys(groups).length <= 1000, 'must name 1000 groups at most'),
}).optional();

export type OidcFile = z.infer<typeof oidcSchema>;

export function toOidc(raw: OidcFile, inFolder: (path: string) => string): { readonly oidc?: OidcConfig } {
  if (raw === undefined) return {};
  return {
    oidc: {
      issuer: raw.issuer,
      private: raw.private,
      clientId: raw['client-id'],
      clientSecret: secretIn(raw['client-secret'], inFolder),
      nameClaim: raw['name-claim'],
      groupsClaim: raw['groups-claim'],
      groups: new Map(Object.entries(raw.groups)),
    },
  };
}

/** It stays as it is written: tokens must name it in the same way. The secret goes there in plain text never. */
function parseIssuer(text: string): string | undefined {
  if (text.length > 2048 || !URL.canParse(text)) return undefined;
  const { protocol, username, password, hostname, search, hash } = new URL(text);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return undefined;
  const isHere = protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, ''));
  return protocol === 'https:' || isHere ? text : undefined;
}
