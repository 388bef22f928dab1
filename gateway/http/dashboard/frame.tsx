import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useDashboard } from './data/dashboard.ts';
import { match } from './data/router.ts';
import { Mark } from './parts/mark.tsx';
import { Empty } from './parts/states.tsx';
import type { Room, View } from './rooms/room.ts';
import { rooms } from './rooms/rooms.ts';

/** The page around every room: where one can go, who is signed in, and whether the gateway is there. */
export function Frame() {
  const { router, session, waiting } = useDashboard();
  const { path } = router.now.value;
  const found = findView(path);
  const count = waiting.rows.value.size;
  useEffect(() => {
    if (path === '/') router.go('/waiting', 'replace');
  }, [path]);
  useEffect(() => {
    const name = found?.room.name ?? 'Not found';
    document.title = `${count > 0 ? `(${count}) ` : ''}${name} · Clawrden`;
  }, [found?.room, count]);
  const room = found === undefined ? <NoRoom /> : <found.view.show key={found.key} params={found.params} />;
  if (found?.view.alone === true)
    return (
      <>
        <Banner />
        <main class="alone">{room}</main>
        <Notices />
      </>
    );
  return (
    <>
      <a class="skip" href="#room">
        Skip to the room
      </a>
      <div class="frame">
        <Side current={found?.room} mayEnter={(each) => each.mayEnter?.(session) ?? true} />
        <div>
          <Banner />
          <main class="frame-room" id="room">
            {room}
          </main>
        </div>
      </div>
      <Notices />
    </>
  );
}

interface SideProps {
  readonly current: Room | undefined;
  readonly mayEnter: (room: Room) => boolean;
}

function Side({ current, mayEnter }: SideProps) {
  const { session, waiting, signOut, router } = useDashboard();
  const isOpen = useSignal(false);
  const count = waiting.rows.value.size;
  useEffect(() => {
    isOpen.value = false;
  }, [router.now.value.path]);
  return (
    <header class={isOpen.value ? 'frame-side is-open' : 'frame-side'}>
      <a class="brand" href="/waiting">
        <Mark />
        Clawrden
      </a>
      <button
        type="button"
        class="button quiet frame-menu"
        aria-expanded={isOpen.value}
        aria-controls="rooms"
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {isOpen.value ? 'Close' : 'Menu'}
        {!isOpen.value && count > 0 && <span class="count">{count}</span>}
      </button>
      <nav id="rooms" aria-label="Rooms">
        <ul class="frame-rooms">
          {rooms.filter(mayEnter).map((room) => (
            <li key={room.path}>
              <a href={room.path} aria-current={room === current ? 'page' : undefined}>
                {room.name}
                {room.path === '/waiting' && count > 0 && (
                  <span class="count" aria-label={`${count} waiting`}>
                    {count}
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="frame-who">
        <p>
          <span class="soft">Signed in as</span>
          <br />
          {session.principal}
          <br />
          <span class="soft">{[...new Set(session.rights.map(({ role }) => role))].join(', ')}</span>
        </p>
        <button type="button" class="button short" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </header>
  );
}

function Banner() {
  const { events } = useDashboard();
  return (
    <div role="status">
      {events.connection.value === 'lost' && (
        <p class="banner">
          Not connected to the gateway. What you see may be old; this page catches up by itself.
        </p>
      )}
    </div>
  );
}

function Notices() {
  const { notices } = useDashboard();
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.now.value.map(({ id, text, tone }) => (
        <p key={id} class={`notice ${tone}`}>
          {text}
          <button
            type="button"
            class="button quiet short"
            aria-label="Dismiss"
            onClick={() => notices.drop(id)}
          >
            ×
          </button>
        </p>
      ))}
    </div>
  );
}

function NoRoom() {
  return (
    <Empty title="There is nothing at this address">
      <p>
        Perhaps the link is older or newer than this gateway. <a href="/waiting">What waits for an answer</a>
      </p>
    </Empty>
  );
}

interface Found {
  readonly room: Room;
  readonly view: View;
  readonly key: string;
  readonly params: Readonly<Record<string, string>>;
}

function findView(path: string): Found | undefined {
  for (const room of rooms)
    for (const view of room.views) {
      const params = match(view.path, path);
      if (params !== undefined) return { room, view, params, key: view.path };
    }
  return undefined;
}
