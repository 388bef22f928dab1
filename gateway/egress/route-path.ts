import { EgressError } from '../../src/egress/egress-error.ts';

/** What a client asks for below a route. */
export interface RouteTarget {
  readonly route: string;
  /** Without a slash at its beginning. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
}

/** Of `/ROUTE/PATH?QUERY`. Throws `invalid` for a path that another server may take for one that climbs. */
export function readRouteTarget(target: string): RouteTarget {
  const [, route = '', path = '', query = ''] =
    /^\/([a-z][a-z0-9-]{0,62})(?:\/([^?#]*))?(\?[\x21\x22\x24-\x7e]*)?$/.exec(target) ?? [];
  if (route === '') throw new EgressError('invalid', 'the target must be /ROUTE/PATH');
  const what = wrongPath(path);
  if (what !== '') throw new EgressError('invalid', `a path with ${what} is refused`);
  return { route, path, query };
}

/** Empty, or what must not be there. Servers decode once or twice, and take `;`, `\` and `%2f` for what they like. */
function wrongPath(path: string): string {
  if (!/^(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/.test(path))
    return 'a character that must be encoded';
  if (/%(?:[01][0-9a-f]|7f)/i.test(path)) return 'an encoded control character';
  if (/%5c/i.test(path)) return 'a backslash';
  if (/%25(?:2[5ef]|5c)/i.test(path)) return 'something that is encoded twice';
  const segments = path.replace(/%2e/gi, '.').split(/\/|%2f/i);
  if (segments.slice(0, -1).includes('')) return '//';
  return segments.some((segment) => /^\.{1,2}(?:;.*)?$/.test(segment)) ? '. or .. in it' : '';
}
