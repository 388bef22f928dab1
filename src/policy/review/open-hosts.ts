import type { Policy, Rule } from '../policy.ts';
import { ruleAt } from './rule-at.ts';

/** Allow rules of fetches whose pattern of a URL lets servers in that its author did not name. One line each. */
export function findOpenHosts({ rules, tools }: Policy & { version: 1 }): string[] {
  const isFetch = (tool: string) => tools.get(tool)?.strategy === 'fetch';
  return rules
    .filter(({ action, ...rule }) => action === 'allow' && [...(rule.tools ?? [])].some(isFetch))
    .flatMap((rule) =>
      urlsOf(rule)
        .filter(isOpen)
        .map((pieces) => `${ruleAt(rule)}: "${pieces.join('*')}" ${reasonOf(pieces)}`),
    );
}

/** The patterns of its args that begin as a URL does, as the pieces between their stars. */
function urlsOf({ args }: Rule): readonly (readonly string[])[] {
  return (args?.items ?? [])
    .flatMap((item) => (item === '**' ? [] : item))
    .filter(([first]) => first !== undefined && scheme.test(first));
}

const scheme = /^https?:\/\//;

/** A star before the slash that ends the server's name; with a name, as `https://*` alone means every server. */
function isOpen([first = '', ...more]: readonly string[]): boolean {
  const isWhole = first.replace(scheme, '').includes('/');
  return (
    !isWhole && more.length > 0 && (first.replace(scheme, '') !== '' || more.some((piece) => piece !== ''))
  );
}

function reasonOf([first = '', ...more]: readonly string[]): string {
  const name = first.replace(scheme, '');
  return name === ''
    ? `also lets https://other.example/${more.join('')} through, as a star takes slashes: name each server, or give the tool a network`
    : `also lets ${first}.other.example/ through: end the server's name with a slash`;
}
