import { useEffect, useState } from 'preact/hooks';
import { ApiError, connect } from '../../../src/http-api/client.ts';
import { Mark } from './parts/mark.tsx';

/** For who is not signed in: how to. */
export function SignedOut({ why }: { readonly why: string }) {
  return (
    <main class="signed-out">
      <div class="card">
        <p class="brand">
          <Mark /> Clawrden
        </p>
        <h1>Sign in</h1>
        {why !== '' && (
          <p class="trouble" role="alert">
            {why}
          </p>
        )}
        <ByCompany />
        <p>Where you use the command line of Clawrden, run:</p>
        <pre>
          <code>clawrden dashboard</code>
        </pre>
        <p class="soft">
          It opens this page signed in, by a link that works once, for a minute. On a machine without a
          browser it prints the link: open it here.
        </p>
        <p class="soft">
          You have no access yet? An admin adds you with <code>clawrden users add NAME --role approver</code>.
        </p>
      </div>
    </main>
  );
}

/** The way to the provider, if the gateway has one. */
function ByCompany() {
  const [isThere, setThere] = useState(false);
  const [why, setWhy] = useState('');
  const client = connect({ url: location.origin });
  useEffect(() => {
    client.call('oidc', {}).then(
      ({ available }) => setThere(available),
      () => {},
    );
  }, []);
  const begin = () => {
    client.call('oidcBrowser', { body: {} }).then(
      ({ url }) => location.assign(url),
      (error: unknown) =>
        setWhy(error instanceof ApiError ? error.problem.detail : 'The gateway does not answer.'),
    );
  };
  if (!isThere) return null;
  return (
    <>
      <button type="button" class="button main" onClick={begin}>
        Sign in with your company
      </button>
      {why !== '' && (
        <p class="trouble" role="alert">
          {why}
        </p>
      )}
    </>
  );
}
