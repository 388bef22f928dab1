import type { ProviderGroups } from '../ports/identity-provider.ts';

export type Claims = Readonly<Record<string, unknown>>;

const groupsAtMost = 1000;
const longestName = 255;

/** The groups in a token's claims, or why they are not there. */
export function readGroups(claims: Claims, claim: string): ProviderGroups {
  const found = claimAt(claims, claim);
  const said = typeof found === 'string' ? [found] : found;
  if (said === undefined) return { missing: whyMissing(claims, claim) };
  if (!Array.isArray(said) || !said.every((each): each is string => typeof each === 'string'))
    return { missing: `the claim ${claim} is no list of names` };
  if (said.length > groupsAtMost)
    return { missing: `the claim ${claim} has more than ${groupsAtMost} names` };
  return { names: said.filter((name) => name.length <= longestName) };
}

/** A claim may have dots in its name; else they lead into objects. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let at: unknown = claims;
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Claims)[step];
  }
  return at;
}

/** Microsoft's provider says `_claim_names`, or `hasgroups`, if a person is in more groups than it writes down. */
function whyMissing(claims: Claims, claim: string): string {
  const elsewhere = claims['_claim_names'];
  const [first = claim] = Object.hasOwn(claims, claim) ? [claim] : claim.split('.');
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, first);
  if (isElsewhere || claims['hasgroups'] === true || claims['hasgroups'] === 'true')
    return `the provider leaves the groups out because there are too many of them; let it send only those that are assigned to this client`;
  return `the provider sends no claim ${claim}; let it send the groups of a person to this client`;
}
