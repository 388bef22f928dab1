import { type ReadonlySignal, signal } from '@preact/signals';
import { ApiError, type Client, connect } from '../../../../src/http-api/client.ts';

/** Who is signed in, as `GET /api/v1/session` tells. */
export interface Session {
  readonly principal: string;
  readonly rights: readonly { readonly role: string; readonly scope: Readonly<Record<string, string>> }[];
  readonly csrfToken?: string | undefined;
}

export type SignIn =
  | { readonly state: 'looking' }
  /** `why` is empty where nobody has tried. */
  | { readonly state: 'out'; readonly why: string }
  | { readonly state: 'in'; readonly session: Session };

export interface Sessions {
  readonly now: ReadonlySignal<SignIn>;
  /** Of who is signed in; everything that a page does goes through it. */
  readonly client: () => Client;
  /** Takes the code of the address, if there is one, or the session that the browser has. */
  readonly begin: () => Promise<void>;
  /** The gateway does not know this browser any more. */
  readonly end: (why: string) => void;
  readonly signOut: () => Promise<void>;
}

export function createSessions(): Sessions {
  const now = signal<SignIn>({ state: 'looking' });
  let client = clientOf(undefined);
  const end = (why: string) => {
    now.value = { state: 'out', why };
  };
  function clientOf(csrfToken: string | undefined): Client {
    const send: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      if (answer.status === 401 && now.peek().state === 'in')
        end(
          'Your session has ended. Sessions end with a restart of the gateway, and after an hour without use.',
        );
      return answer;
    };
    return connect({ url: location.origin, fetch: send, ...(csrfToken !== undefined && { csrfToken }) });
  }
  const enter = (session: Session) => {
    client = clientOf(session.csrfToken);
    now.value = { state: 'in', session };
  };
  return {
    now,
    client: () => client,
    begin: async () => {
      const refused = takeRefusal();
      if (refused !== '') return end(`You are not signed in: ${refused}.`);
      const code = takeCode();
      try {
        enter(await (code === '' ? client.call('session', {}) : client.call('signIn', { body: { code } })));
      } catch (error) {
        const isOther = error instanceof ApiError && error.problem.status === 409;
        if (code !== '' && !isOther && (await hasSession(client, enter))) return;
        end(whyOut(error, code !== ''));
      }
    },
    end,
    signOut: async () => {
      await client.call('signOut', {}).catch(() => {});
      end('You are signed out.');
    },
  };
}

/** A link that was used is opened again by who goes back to it: the session that it made may still count. */
async function hasSession(client: Client, enter: (session: Session) => void): Promise<boolean> {
  try {
    enter(await client.call('session', {}));
    return true;
  } catch {
    return false;
  }
}

function whyOut(error: unknown, triedCode: boolean): string {
  if (!(error instanceof ApiError)) return 'The gateway does not answer.';
  if (error.problem.status === 409) return `${error.problem.detail}. To go on as before, reload the page.`;
  if (error.problem.status !== 401) return error.problem.detail;
  return triedCode ? 'This link was used already, or is older than a minute.' : '';
}

/** What the gateway says to who comes back from a provider and is not let in. */
function takeRefusal(): string {
  const told = document.querySelector<HTMLMetaElement>('meta[name="clawrden-refused"]');
  if (told === null) return '';
  told.remove();
  // The way back has a code in it.
  history.replaceState(history.state, '', '/');
  return told.content;
}

/** It works once: it must not stay in the address, the history or a bookmark. */
function takeCode(): string {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1] ?? '';
  if (location.hash.startsWith('#code='))
    history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}
