/** What a body is, as its server says. */
export interface ContentType {
  /** In small letters, without parameters; empty if the server does not say. */
  readonly name: string;
  readonly charset: string;
  readonly kind: 'html' | 'text' | 'other';
}

const longest = 256;

export function readContentType(header: string | undefined): ContentType {
  const text = (header ?? '').slice(0, longest).toLowerCase();
  const name = /^\s*([a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+)\s*(?:;|$)/.exec(text)?.[1] ?? '';
  const charset = /;\s*charset\s*=\s*"?([a-z0-9_.:-]+)/.exec(text)?.[1] ?? '';
  return { name, charset, kind: kindOf(name) };
}

function kindOf(name: string): ContentType['kind'] {
  if (name === 'text/html' || name === 'application/xhtml+xml') return 'html';
  return /^text\/|^application\/(?:json|xml|x-ndjson|jsonl)$|\+(?:json|xml)$/.test(name) ? 'text' : 'other';
}

/** Never throws: what is no character in that encoding becomes U+FFFD. */
export function decodeText(bytes: Buffer, charset: string): string {
  const said = charset || charsetInside(bytes);
  try {
    return new TextDecoder(said || 'utf-8').decode(bytes);
  } catch {
    // Nobody knows an encoding of that name.
    return new TextDecoder().decode(bytes);
  }
}

/** As pages say it in their first bytes. */
function charsetInside(bytes: Buffer): string {
  return (
    /<meta[^>]{0,200}charset\s*=\s*["']?([a-z0-9_.:-]+)/i.exec(bytes.toString('latin1', 0, 1024))?.[1] ?? ''
  );
}
