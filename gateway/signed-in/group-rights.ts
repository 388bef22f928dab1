import type { OidcConfig } from '../../src/config/oidc-config.ts';
import { escapeUnprintable } from '../../src/text/render-text.ts';
import { shortTexts } from '../lists/short-texts.ts';
import type { Checked } from '../ports/authentication.ts';
import type { ProviderGroups } from '../ports/identity-provider.ts';
import { ladder, type Right } from '../ports/principal.ts';

export type Rights = readonly [Right, ...Right[]];

/** One right for each group that gateway.yaml names, the highest role first; or a line that says which groups came. */
export function rightsOfGroups(groups: ProviderGroups, known: OidcConfig['groups']): Checked<Rights> {
  if ('missing' in groups) return { refused: groups.missing };
  const [first, ...more] = [...new Set(groups.names)].toSorted().flatMap((name) => {
    const right = known.get(name);
    return right === undefined ? [] : [{ role: right.role, scope: right.agents }];
  });
  if (first === undefined) return { refused: whyNone(groups.names) };
  const [highest = first, ...rest] = [first, ...more].toSorted((a, b) => rank(b) - rank(a));
  return { value: [highest, ...rest] };
}

function rank({ role }: Pick<Right, 'role'>): number {
  return ladder.findIndex((rung) => rung === role);
}

function whyNone(names: readonly string[]): string {
  const came = names.length === 0 ? 'none came' : shortTexts(names).map(escapeUnprintable).join(', ');
  return `none of your groups may do anything here (oidc.groups of gateway.yaml); the provider says: ${came}`;
}
