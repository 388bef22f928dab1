import { makeAuthority } from '../../src/pki/authority.ts';
import { issueServerCertificate } from '../../src/pki/issue-certificate.ts';
import type { Zone } from './dns-server.ts';
import type { FetchOrder, FetchResult, LineOrder } from './fetch-main.ts';
import type { Seen } from './internet-main.ts';
import { ask, startNamespaces } from './two-namespaces.ts';

/** What a fetch came to, and what was seen of it elsewhere. */
export interface Fetched extends FetchResult, Seen {
  /** Of a tool that ended by itself. */
  readonly code: number | undefined;
  /** Connections that it tried. */
  readonly attempts: number;
}

export interface FetchSite extends AsyncDisposable {
  readonly fetch: (line: readonly string[], more?: Omit<LineOrder, 'line'>) => Promise<Fetched>;
  readonly names: (zone: Zone) => Promise<void>;
  /** Of the audit and the database. */
  readonly folder: string;
}

const zone: Zone = {
  'good.example': [['20.0.0.1']],
  'other.example': [['20.0.0.2']],
  'evil.example': [['20.0.0.3']],
  'shop.example': [['20.0.0.4']],
  'untrusted.example': [['20.0.0.5']],
  'engine.example': [['20.0.0.8']],
  'inside.example': [['10.0.0.1']],
};

export async function startFetchSite(): Promise<FetchSite> {
  const site = await startNamespaces('fetch-main.ts');
  const authority = await makeAuthority('test');
  const files = await issueServerCertificate(authority, ['good.example', 'other.example']);
  await site.internet({ tls: { cert: files.certificate, key: files.key } });
  await ask(site.gateway, { ca: authority.certificate } satisfies FetchOrder);
  await site.internet({ zone });
  let before = 0;
  return {
    folder: site.folder,
    names: async (more) => void (await site.internet({ zone: { ...zone, ...more } })),
    fetch: async (line, more = {}) => {
      const result = await ask<FetchResult>(site.gateway, { ...more, line } satisfies FetchOrder);
      const seen = await site.internet({ tell: 'seen' });
      const attempts = result.tried - before;
      before = result.tried;
      const code = result.outcome.kind === 'exited' ? result.outcome.code : undefined;
      return { ...result, ...seen, attempts, code };
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}
