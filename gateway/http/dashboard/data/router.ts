import { type ReadonlySignal, signal } from '@preact/signals';

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Where the page is. Links of the page lead on without loading it anew; back and forward work. */
export interface Router {
  readonly now: ReadonlySignal<Place>;
  readonly go: (to: string, how?: 'replace') => void;
}

export function createRouter(): Router {
  const read = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });
  const now = signal(read());
  const update = () => {
    now.value = read();
  };
  const go: Router['go'] = (to, how) => {
    if (to === location.pathname + location.search) return;
    if (how === 'replace') history.replaceState(null, '', to);
    else history.pushState(null, '', to);
    update();
    if (how !== 'replace') scrollTo(0, 0);
  };
  addEventListener('popstate', update);
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || !isPlain(event) || link.target !== '' || link.hasAttribute('download')) return;
    const to = new URL(link.href);
    if (to.origin !== location.origin || to.hash !== '' || to.pathname.startsWith('/api/')) return;
    event.preventDefault();
    go(to.pathname + to.search);
  });
  return { now, go };
}

function isPlain(event: MouseEvent): boolean {
  const isModified = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  return event.button === 0 && !isModified && !event.defaultPrevented;
}

/** The values of a pattern's parts that begin with a colon; undefined if the path is another one. */
export function match(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, parts] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== parts.length) return undefined;
  const values: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    if (part.startsWith(':')) values[part.slice(1)] = parts[at] ?? '';
    else if (part !== parts[at]) return undefined;
  }
  return values;
}
