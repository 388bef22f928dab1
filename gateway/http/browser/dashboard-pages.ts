import type { IncomingMessage } from 'node:http';
import { callbackPath } from '../../ports/callback-path.ts';
import { pagePolicy, terminalPolicy } from './page-headers.ts';

/** A page of the dashboard: static, the same for everybody, and without a cookie. */
export interface DashboardPage {
  /** Of the routes that show it, as fastify writes them. */
  readonly paths: readonly string[];
  /** In the folder that is built. */
  readonly file: string;
  readonly policy: string;
}

/** Each room has its path here, so that a link to it opens; the page itself says if there is no such room. */
export const dashboardPages: readonly DashboardPage[] = [
  {
    paths: [
      ...['/', '/waiting', '/a/:id', '/live', '/history', '/executions/:id'],
      ...['/agents', '/agents/:name', '/hosts', '/hosts/:name', '/policy', '/audit'],
    ],
    file: 'index.html',
    policy: pagePolicy,
  },
  { paths: ['/terminal'], file: 'terminal.html', policy: terminalPolicy },
];

const patterns = dashboardPages.flatMap(({ paths }) => paths.map((path) => path.split('/')));

/**
 * A person follows a link to a page of the dashboard, from wherever that link is. The page is the same for everybody,
 * so that it tells nothing to who made the link. The provider of a sign-in sends its browser back in the same way; what
 * that may do, a cookie says.
 */
export function followsLink({ method, url = '', headers }: IncomingMessage): boolean {
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  const [path = ''] = url.split('?', 1);
  return method === 'GET' && isNavigation && (path === callbackPath || isPage(path));
}

function isPage(path: string): boolean {
  const parts = path.split('/');
  return patterns.some(
    (pattern) =>
      pattern.length === parts.length &&
      pattern.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at])),
  );
}
