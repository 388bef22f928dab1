import { type Endpoint, hostName } from '../../src/egress/endpoint.ts';

export interface PageUrl {
  /** In its one form. */
  readonly href: string;
  readonly endpoint: Endpoint;
  readonly secure: boolean;
}

export type PageUrlResult = { readonly page: PageUrl } | { readonly what: string };

const longest = 2048;

/**
 * A URL has one text here, so that a rule about a server holds for every way to write it. What another form would mean
 * is said, and not done.
 */
export function readPageUrl(text: string): PageUrlResult {
  if (text.length > longest) return { what: `a URL may have ${longest} characters` };
  if (!URL.canParse(text)) return { what: 'this is no URL: write https://HOST/PATH' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { what: 'only http and https are fetched' };
  if (url.username !== '' || url.password !== '')
    return { what: 'a URL with a user or a password is not fetched' };
  const name = hostName(url.hostname);
  if (name === undefined) return { what: 'its host is no name and no address' };
  const href = plainHref(url, name);
  if (href !== text) return { what: `write it as ${href}` };
  const secure = url.protocol === 'https:';
  const usual = secure ? 443 : 80;
  const port = url.port === '' ? usual : Number(url.port);
  return port === 0 ? { what: 'port 0 is no port' } : { page: { href, endpoint: { name, port }, secure } };
}

/** Where a page leads to, in its one form. */
export function resolveLink(link: string, base: string): string | undefined {
  if (link.length > 4 * longest || !URL.canParse(link, base)) return undefined;
  const url = new URL(link, base);
  const name = hostName(url.hostname);
  return name === undefined ? undefined : plainHref(url, name);
}

/** Without a dot behind the name, and without `%` where it is not needed. */
function plainHref(url: URL, name: string): string {
  const plain = new URL(url);
  plain.hostname = name.includes(':') ? `[${name}]` : name;
  plain.pathname = withoutNeedless(url.pathname);
  return plain.href;
}

function withoutNeedless(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (whole, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : whole.toUpperCase();
  });
}
