import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface RoomPageProps {
  readonly title: string;
  /** One line below the title. */
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** What every room begins with. The focus goes to its title, so that who listens hears where they are. */
export function RoomPage({ title, note, actions, children }: RoomPageProps) {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <header class="room-head">
        <div class="room-title">
          <h1 ref={head} tabIndex={-1}>
            {title}
          </h1>
          {note !== undefined && <p class="soft">{note}</p>}
        </div>
        {actions !== undefined && <div class="room-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}
