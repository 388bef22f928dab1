import type { Certificate, Checked } from './authentication.ts';
import type { OpenedSession } from './browser-sessions.ts';
import type { BegunDevice, BegunSignIn, Provided, RedeemedCode } from './identity-provider.ts';
import type { SignedInPerson } from './signed-in.ts';

/** How a person comes in by the provider. `from`: the address of the peer, which has ten wrong tries a minute. */
export interface ProviderSignIn {
  readonly authorizationUrl: (begun: BegunSignIn, from: string) => Promise<Provided<string>>;
  readonly beginDevice: (from: string) => Promise<Provided<BegunDevice>>;
  /** Signs the key of the PKCS #10 request for an hour; `pending` if the person at a device has not answered. */
  readonly certify: (
    shown: ShownCode,
    request: string,
    from: string,
  ) => Promise<Provided<CertifiedPerson | 'pending'>>;
  /** Sends a browser to the provider, from a page of this origin. */
  readonly beginBrowser: (leaving: LeavingBrowser, from: string) => Promise<Provided<BegunBrowser>>;
  /** The session of the person who came back, in place of the one before; `returned` is the path and query. */
  readonly finishBrowser: (
    secret: string,
    returned: string,
    from: string,
  ) => Promise<Provided<OpenedSession>>;
}

export interface LeavingBrowser {
  readonly origin: string;
  /** The id of the session that it has. On its way back from another site it does not send that. */
  readonly session: string | undefined;
}

export interface BegunBrowser {
  readonly url: string;
  /** For a cookie: only this browser can come back. */
  readonly secret: string;
}

export type ShownCode = RedeemedCode | { readonly deviceCode: string };

export interface CertifiedPerson extends Certificate {
  readonly person: SignedInPerson;
}

/** What a sign-in is refused with that the gateway itself refuses. */
export function refusedHere<Value>(checked: Checked<Value>): Provided<Value> {
  return 'refused' in checked ? { ...checked, isOver: true } : checked;
}
