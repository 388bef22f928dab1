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
