import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface WindowListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Of each row, in pixels: only those on the screen are drawn. */
  readonly rowHeight: number;
  /** This row is kept on the screen when it changes. */
  readonly current?: string | undefined;
  /** Nothing in a row takes the focus: the list does, so that it can be scrolled by keyboard. */
  readonly takesFocus?: boolean;
  readonly children: (row: Row, index: number) => ComponentChildren;
}

/** Rows beyond the edges that are drawn, too. */
const beyond = 6;

/** A list of any length that costs what is on the screen of it. */
export function WindowList<Row>({
  label,
  rows,
  keyOf,
  rowHeight,
  current,
  takesFocus,
  children,
}: WindowListProps<Row>) {
  const list = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  const measure = () => {
    if (list.current !== null) setSeen({ top: list.current.scrollTop, height: list.current.clientHeight });
  };
  useLayoutEffect(measure, []);
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    if (list.current !== null) observer.observe(list.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const at = rows.findIndex((row) => keyOf(row) === current);
    if (list.current !== null && at >= 0) keepInView(list.current, at * rowHeight, rowHeight);
  }, [current]);
  const first = Math.max(0, Math.floor(seen.top / rowHeight) - beyond);
  const last = Math.min(rows.length, Math.ceil((seen.top + seen.height) / rowHeight) + beyond);
  return (
    <div
      class="window-list"
      ref={list}
      onScroll={measure}
      role="list"
      aria-label={label}
      tabIndex={takesFocus === true ? 0 : undefined}
    >
      <div style={{ height: `${rows.length * rowHeight}px` }} role="presentation">
        {rows.slice(first, last).map((row, at) => (
          <div
            key={keyOf(row)}
            class="window-row"
            role="listitem"
            aria-posinset={first + at + 1}
            aria-setsize={rows.length}
            style={{ top: `${(first + at) * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {children(row, first + at)}
          </div>
        ))}
      </div>
    </div>
  );
}

function keepInView(list: HTMLElement, top: number, height: number): void {
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + height > list.scrollTop + list.clientHeight)
    list.scrollTop = top + height - list.clientHeight;
}
