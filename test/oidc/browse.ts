const mostSteps = 20;

/**
 * Follows redirects as a browser does, with cookies, until it comes to an address that `isEnd`, which it does not ask.
 * `typed` is written into the first form that has those fields; every other form is sent as it stands.
 */
export async function browse(
  start: string,
  isEnd: (at: URL) => boolean,
  typed: Readonly<Record<string, string>> = {},
): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(start);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < mostSteps; step += 1) {
    if (isEnd(at)) return at;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(at, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { cookie },
      redirect: 'manual',
      ...(form !== undefined && { body: form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = answer.headers.get('location');
    const page = await answer.text();
    form = undefined;
    if (location !== null) {
      at = new URL(location, at);
      continue;
    }
    const next = formOf(page, typed);
    if (next === undefined || !answer.ok) {
      if (answer.ok) return at;
      throw new Error(`${at.href} answers ${answer.status}: ${page.slice(0, 500)}`);
    }
    form = next.fields;
    at = new URL(next.action, at);
  }
  throw new Error(`no end after ${mostSteps} steps from ${start}`);
}

function formOf(
  page: string,
  typed: Readonly<Record<string, string>>,
): { readonly action: string; readonly fields: URLSearchParams } | undefined {
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
  if (action === undefined) return undefined;
  const fields = new URLSearchParams();
  for (const [input] of page.matchAll(/<input[^>]*>/g)) {
    const name = / name="([^"]+)"/.exec(input)?.[1];
    if (name !== undefined) fields.set(name, typed[name] ?? / value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  return { action, fields };
}
