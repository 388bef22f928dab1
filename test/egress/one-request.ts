/** What a strict reader makes of the bytes that a server got. */
export interface OneRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Of one connection. Throws if another reader could take it for more than one request, or for another one. */
export function readOne(raw: string): OneRequest {
  const end = raw.indexOf('\r\n\r\n');
  if (end < 0) throw new Error('no whole head');
  const [first = '', ...lines] = raw.slice(0, end).split('\r\n');
  if (/[\r\n\0]/.test([first, ...lines].join(''))) throw new Error('a bare line end or a NUL');
  const [, method = '', target = ''] = /^([A-Z-]+) (\/[\x21-\x7e\x80-\xff]*) HTTP\/1\.1$/.exec(first) ?? [];
  if (target === '') throw new Error(`a strange first line: ${first}`);
  const headers = lines.map(readHeader);
  checkOnce(headers);
  checkBody(headers, raw.slice(end + 4));
  return { method, target, headers };
}

function readHeader(line: string): readonly [string, string] {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): (.*)$/.exec(line) ?? [];
  if (name === '') throw new Error(`a strange header: ${line}`);
  return [name, value];
}

/** As some servers read names. */
export function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '-');
}

const ofOneConnection = [
  'te',
  'trailer',
  'upgrade',
  'keep-alive',
  'proxy-connection',
  'expect',
  'http2-settings',
];

function checkOnce(headers: OneRequest['headers']): void {
  const count = (...names: string[]) => headers.filter(([name]) => names.includes(folded(name))).length;
  if (count('host') !== 1) throw new Error('not one host');
  if (count('content-length', 'transfer-encoding') > 1) throw new Error('two lengths');
  if (count('connection') !== 1) throw new Error('not one connection');
  if (count(...ofOneConnection, 'proxy-authorization') > 0) throw new Error('a header of one connection');
}

/** A connection may be cut off in its body; what is there may not be more than the body. */
function checkBody(headers: OneRequest['headers'], body: string): void {
  const value = (named: string) => headers.find(([name]) => folded(name) === named)?.[1];
  const [length, coding] = [value('content-length'), value('transfer-encoding')];
  if (coding !== undefined && coding !== 'chunked') throw new Error(`the coding ${coding}`);
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw new Error(`the length ${length}`);
  if (coding === 'chunked') checkChunks(body);
  else if (body.length > Number(length ?? 0)) throw new Error('more than its body');
}

function checkChunks(body: string): void {
  let rest = body;
  while (rest !== '') {
    const [head = '', digits = ''] = /^([0-9a-fA-F]{1,8})\r\n/.exec(rest) ?? [];
    if (head === '') throw new Error('a strange chunk');
    const size = Number.parseInt(digits, 16);
    const tail = rest.slice(head.length + size);
    if (size === 0 && tail !== '\r\n') throw new Error('something behind the last chunk');
    if (tail !== '' && !tail.startsWith('\r\n')) throw new Error('a chunk of another size');
    rest = size === 0 ? '' : tail.slice(2);
  }
}
