import fc from 'fast-check';

/** What an attacker may put where a request has its parts; most of it is nearly right. */
const lengths = [
  '0',
  '4',
  '5',
  '60',
  '+5',
  '0x5',
  '5, 5',
  '5,6',
  '5 ',
  '-1',
  '5\t',
  '',
  '5\r\n 5',
  '99999999999999999999',
];
const codings = [
  ...[
    'chunked',
    'Chunked',
    'chunked, identity',
    'identity, chunked',
    'xchunked',
    'gzip, chunked',
    'identity',
  ],
  ...[
    '\x0bchunked',
    'chunked\x0b',
    '"chunked"',
    'chunked;a=b',
    ' chunked',
    '\tchunked',
    'chunked,',
    ',chunked',
  ],
];
const lengthNames = [
  'Content-Length',
  'content-length',
  'Content-Length ',
  'Content_Length',
  'Content-Length\t',
];
const codingNames = [
  ...[
    'Transfer-Encoding',
    'transfer-encoding',
    'Transfer-Encoding ',
    'Transfer_Encoding',
    'Transfer.Encoding',
  ],
  ...['X: y\nTransfer-Encoding', 'X: y\rTransfer-Encoding', 'Transfer-Encoding\r\n', '\tTransfer-Encoding'],
];
const connections = [
  ...['close', 'keep-alive', 'content-length', 'transfer-encoding, host', 'x-a, x-api-key, authorization'],
  ...['Upgrade', 'Upgrade, HTTP2-Settings', 'host', 'close, content-length'],
];
const others = [
  ...['X-A: 1', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAA', 'TE: trailers', 'Trailer: X-A'],
  ...['Expect: 100-continue', 'Expect: 200-ok', 'Keep-Alive: timeout=5', 'Proxy-Connection: keep-alive'],
  ...[
    'Proxy-Authorization: Basic eA==',
    'X-B: \0',
    'X-C: a\r\n folded',
    ': empty',
    'X D: 1',
    'X-E: \xe9',
    'X-F',
  ],
  ...['Host: other.example', 'X-Forwarded-Host: other.example', 'X-G: a\nX-H: b', 'X-I: a\r\rX-J: b'],
];
/** A route's header, which only the gateway may set, as somebody else may spell it. */
const ofRoute = [
  ...['X-Api-Key: mine', 'x_api_key: mine', 'X.Api.Key: mine', 'X-Api-Key : mine', 'X-Api-Key\t: mine'],
  ...[
    'X-Api-Key\r\n: mine',
    ' X-Api-Key: mine',
    'X-A: 1\nX-Api-Key: mine',
    'X-A: 1\rX-Api-Key: mine',
    "x'api'key: mine",
  ],
];
const inner = 'GET /smuggled HTTP/1.1\r\nHost: registry.example:81\r\n\r\n';
const bodies = [
  ...[
    '',
    '',
    'abcde',
    inner,
    `0\r\n\r\n${inner}`,
    `5\r\nabcde\r\n0\r\n\r\n${inner}`,
    '5\r\nabcde\r\n0\r\n\r\n',
  ],
  ...[
    `5;a="\r\n"\r\nabcde\r\n0\r\n\r\n`,
    `5;a\nabcde\r\n0\r\n\r\n`,
    '5\nabcde\n0\n\n',
    '05\r\nabcde\r\n0\r\n\r\n',
  ],
  ...[
    `0\r\nX-Api-Key: mine\r\nX-T: 1\r\n\r\n`,
    `-1\r\n${inner}`,
    'fffffffffffffffff\r\n',
    '0x5\r\nabcde\r\n0\r\n\r\n',
  ],
  ...[
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    inner.replace('/smuggled', 'http://registry.example:81/smuggled'),
    '\r\n',
  ],
];

/** So many headers that some versions of Node's parser drop the next ones. */
export const manyHeaders = `Connection: a\r\n${'a:\r\n'.repeat(1000)}`;

const from = (all: readonly string[]) => fc.constantFrom(...all);
const named = (names: readonly string[], values: readonly string[]) =>
  fc.tuple(from(names), from([':', ': ', ': ', ':\t']), from(values)).map((parts) => parts.join(''));

const header = fc.oneof(
  named(lengthNames, lengths),
  named(lengthNames.slice(0, 1), ['5', '60']),
  named(codingNames, codings),
  named(codingNames.slice(0, 1), ['chunked']),
  named(['Connection', 'connection'], connections),
  from(others),
);
const lineEnd = fc.oneof(
  { weight: 12, arbitrary: fc.constant('\r\n') },
  from(['\n', '\r', '\r\n\r\n', '\n\r\n']),
);
const version = fc.oneof(
  { weight: 8, arbitrary: fc.constant('HTTP/1.1') },
  from(['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', '']),
);
const method = from(['GET', 'POST', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS']);

/** A request to `target` with `more` headers of its own, in one text of bytes. */
function requestTo(
  target: fc.Arbitrary<string>,
  more: fc.Arbitrary<string>,
  host: string,
): fc.Arbitrary<string> {
  const headers = fc.array(
    fc.tuple(fc.oneof(header, more), lineEnd).map((parts) => parts.join('')),
    { maxLength: 4 },
  );
  const filler = fc.oneof({ weight: 8, arbitrary: fc.constant('') }, fc.constant(manyHeaders));
  return fc
    .tuple(method, target, version, filler, headers, from(bodies))
    .map(
      ([verb, to, which, many, all, body]) =>
        `${verb} ${to} ${which}\r\nHost: ${host}\r\n${many}${all.join('')}\r\n${body}`,
    );
}

export const forwarded = requestTo(
  from([
    'http://registry.example:81/in',
    'http://registry.example:81/in?a=b',
    'http://registry.example:81?a',
  ]),
  from(others),
  'registry.example:81',
);
export const routed = requestTo(
  from(['/plain/v1/in', '/plain/v1/in?x=/../y']),
  from(ofRoute),
  '127.0.0.1:3128',
);

const steps = [
  ...[
    '..',
    '.',
    '/',
    '//',
    '%2e',
    '%2E',
    '%2f',
    '%5c',
    '\\',
    ';',
    ';a=b',
    'a',
    'v1',
    '...',
    '%00',
    '%0d%0a',
    '~',
  ],
  ...[
    '%25',
    '%252e',
    '%252f',
    '%32',
    '%65',
    '%66',
    '%35',
    '2e',
    '2f',
    '%c0%ae',
    '%e0%80%ae',
    '%ef%bc%8e',
    '%ef%bc%8f',
  ],
  ...[
    '%e2%80%a5',
    '%3f',
    '%20',
    '%23',
    '%u002e',
    '..;/',
    '%2e%2e',
    '?',
    '#',
    '@',
    '%40',
    ' ',
    '\t',
    '\xe9',
    '%',
  ],
];
const dots = ['.', '%2e', '%252e', '%25%32%65', '%c0%ae', '%ef%bc%8e'];
const ends = ['', '/', '%2f', '%252f', '\\', ';a', '%3fx', '%23', '%20', '%ef%bc%8f'];
const climb = fc.tuple(from(['', 'a/']), from(dots), from(dots), from(ends), from(['', 'x', '%2e./x']));
/** What is below `/plain/`. */
export const climbing = fc
  .oneof(fc.array(from(steps), { minLength: 1, maxLength: 7 }), climb)
  .map((all) => all.join(''));
