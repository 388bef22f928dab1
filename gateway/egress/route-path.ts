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

/** A path that is still another one after so many decodings is meant for no server that we know. */
const mostDecodings = 3;

/**
 * Empty, or what must not be there. Servers decode once or twice, and take `;`, `\` and `%2f` for what they like: so
 * the path must keep the same rules as it is and after each decoding.
 */
function wrongPath(path: string): string {
  if (!/^(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/.test(path))
    return 'a character that must be encoded';
  let text = path;
  for (let round = 0; round <= mostDecodings; round += 1) {
    const what = wrongText(text, round > 0);
    if (what !== '') return what;
    const next = decoded(text);
    if (next === undefined) return 'bytes that are no UTF-8';
    if (next === text) return '';
    text = next;
  }
  return 'something that is encoded again and again';
}

/** Also where a server that has decoded the path reads it as a URL once more, or drops blanks at a name's end. */
const climbs = /^ *\.{1,2} *(?:[;?#].*)?$/s;

function wrongText(text: string, isDecoded: boolean): string {
  if (/\p{Cc}/u.test(text)) return 'an encoded control character';
  if (text.includes('\\')) return 'a backslash';
  if (isDecoded && /%(?:2[5ef]|5c)/i.test(text)) return 'something that is encoded twice';
  if (/\P{ASCII}/u.test(text) && Array.from(text).some(isLookalike))
    return 'a character that some servers take for . or /';
  const segments = text.normalize('NFKC').split('/');
  if (segments.slice(0, -1).includes('')) return '//';
  return segments.some((segment) => climbs.test(segment)) ? '. or .. in it' : '';
}

/** The wide forms of the characters that count here, and their like. */
function isLookalike(character: string): boolean {
  return /\P{ASCII}/u.test(character) && /[./\\%;]/.test(character.normalize('NFKC'));
}

/** `undefined` if it decodes to what is no UTF-8: some read a dot in two bytes. */
function decoded(text: string): string | undefined {
  try {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => decodeURIComponent(bytes));
  } catch {
    return undefined;
  }
}
