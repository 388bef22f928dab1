import { render } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { createDashboard, DashboardProvider } from './data/dashboard.ts';
import { createRouter, type Router } from './data/router.ts';
import { createSessions, type Session, type Sessions } from './data/session.ts';
import { Frame } from './frame.tsx';
import { SignedOut } from './signed-out.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/output.css';
import './styles/signed-out.css';

interface StartProps {
  readonly sessions: Sessions;
  readonly router: Router;
}

function Start({ sessions, router }: StartProps) {
  const now = sessions.now.value;
  if (now.state === 'looking') return <p class="heard-only">Loading</p>;
  if (now.state === 'out') return <SignedOut why={now.why} />;
  return <Inside key={now.session.csrfToken} session={now.session} {...{ sessions, router }} />;
}

function Inside({ sessions, session, router }: StartProps & { readonly session: Session }) {
  const dashboard = useMemo(() => createDashboard(sessions, session, router), []);
  useEffect(() => dashboard.close, []);
  return (
    <DashboardProvider value={dashboard}>
      <Frame />
    </DashboardProvider>
  );
}

const sessions = createSessions();
const page = document.getElementById('page');
if (page !== null) render(<Start sessions={sessions} router={createRouter()} />, page);
void sessions.begin();
// A link that is pasted into the open page changes only its fragment.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#code=')) void sessions.begin();
});
