import { isIP } from 'node:net';
import { addressKind } from './address-kind.ts';
import { type Endpoint, endpointText, parseEndpoint } from './endpoint.ts';

/** What a network lets be reached. */
export interface Destination {
  /** `NAME:PORT`, in its one form; `*.NAME:PORT` is every name that has one or more labels before NAME. */
  readonly to: string;
  /** Addresses that are not public count, too. */
  readonly private?: true;
}

export type DestinationResult = { readonly value: Destination } | { readonly what: string };

/**
 * Second labels under which countries give names away, as `co.uk`: what is below one belongs to many. With a country's
 * two letters behind it, a wildcard needs one label more.
 */
const shared = new Set(
  'ac co com edu gob gov gouv go gv id info ltd me mil ne net nhs nom or org plc sch web'.split(' '),
);

/** In the form in which a plan has it; or what is wrong, to be read behind the key. */
export function parseDestination(text: string, mayBePrivate: boolean): DestinationResult {
  const isWild = text.startsWith('*.');
  const endpoint = parseEndpoint(isWild ? text.slice(2) : text);
  if (endpoint === undefined)
    return { what: `must be NAME:PORT or *.NAME:PORT, not ${JSON.stringify(text.slice(0, 80))}` };
  const what = isWild ? wrongWildcard(endpoint) : wrongName(endpoint, mayBePrivate);
  if (what !== undefined) return { what };
  const to = `${isWild ? '*.' : ''}${endpointText(endpoint)}`;
  return { value: { to, ...(mayBePrivate && { private: true }) } };
}

function wrongWildcard({ name }: Endpoint): string | undefined {
  if (isIP(name) !== 0) return 'must have a name behind *., not an address';
  const labels = name.split('.');
  const [top = '', second = ''] = labels.toReversed();
  if (labels.length === 1) return `lets all of .${name} be reached: name a domain in it`;
  return labels.length === 2 && top.length === 2 && shared.has(second)
    ? `lets all of .${name} be reached, which belongs to many: name a domain in it`
    : undefined;
}

function wrongName({ name }: Endpoint, mayBePrivate: boolean): string | undefined {
  if (name === 'localhost' || name.endsWith('.localhost')) return 'is this machine, which is never reached';
  if (isIP(name) === 0) return undefined;
  const kind = addressKind(name);
  if (kind === 'never' || kind === 'loopback') return 'is an address that is never reached';
  return kind === 'private' && !mayBePrivate ? 'is not public: write { to, private: true }' : undefined;
}

/** The destination by which `endpoint` may be reached; of several, one that admits addresses that are not public. */
export function findDestination(
  destinations: readonly Destination[],
  { name, port }: Endpoint,
): Destination | undefined {
  const found = destinations.filter(({ to }) => matches(to, name, port));
  return found.find((destination) => destination.private === true) ?? found[0];
}

function matches(to: string, name: string, port: number): boolean {
  if (!to.startsWith('*.')) return to === endpointText({ name, port });
  const rest = to.slice(1);
  return isIP(name) === 0 && `${name}:${port}`.endsWith(rest);
}

/** Under these everybody may have a name: so a wildcard of one lets the servers of strangers be reached. */
const hosting = new Set(
  [
    'amazonaws.com s3.amazonaws.com cloudfront.net awsapprunner.com azurewebsites.net azureedge.net windows.net',
    'blob.core.windows.net trafficmanager.net googleapis.com storage.googleapis.com appspot.com run.app web.app',
    'firebaseapp.com github.io githubusercontent.com gitlab.io pages.dev workers.dev r2.dev vercel.app netlify.app',
    'herokuapp.com fly.dev onrender.com ngrok.io ngrok.app fastly.net akamaihd.net akamaized.net b-cdn.net',
  ].flatMap((line) => line.split(' ')),
);

/** Whether everybody may have a server that the destination lets be reached, as far as we know. */
export function isHosting(to: string): boolean {
  return hosting.has(/^\*\.(.+):\d+$/.exec(to)?.[1] ?? '');
}
