import { useSignal } from '@preact/signals';
import { Fragment, type VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PlanLine } from '../../../../../src/text/describe-plan.ts';
import { Rendered } from '../../parts/texts.tsx';
import { type Piece, planPieces } from './plan-pieces.ts';
import type { Reading } from './reading.ts';

/** How many pieces are drawn at once, and what is shown without being asked for. */
const [together, unaskedCharacters, unaskedPieces] = [50, 20_000, 200];
/** Of a piece; all of it but for what rounding takes. */
const enough = 0.98;

interface PlanViewProps {
  readonly lines: readonly PlanLine[];
  readonly reading: Reading;
}

/** Everything that would run, line by line. It notes what of it has been on the screen. */
export function PlanView({ lines, reading }: PlanViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const pieces = useMemo(() => planPieces(lines), [lines]);
  const unasked = useMemo(() => unaskedOf(pieces), [pieces]);
  const shown = useSignal(unasked);
  const chunks = useMemo(() => chunksOf(pieces), [pieces]);
  useEffect(() => reading.begin(pieces.length, unasked), [pieces]);
  const watched = useRef<{ readonly observer: IntersectionObserver; next: number }>(undefined);
  useEffect(() => {
    const observer = createObserver(reading);
    watched.current = { observer, next: 0 };
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const drawn = box.current?.querySelectorAll('[data-piece]');
    if (drawn === undefined || watched.current === undefined) return;
    const { observer, next } = watched.current;
    for (let at = next; at < drawn.length; at += 1) observer.observe(drawn[at] as Element);
    watched.current.next = drawn.length;
  }, [shown.value]);
  const openRest = () => {
    reading.open();
    const more = () => {
      shown.value = Math.min(pieces.length, shown.value + together);
      if (shown.value < pieces.length) requestAnimationFrame(more);
    };
    more();
  };
  const rest = pieces.length - shown.value;
  return (
    <div class="plan" ref={box} role="list" aria-label="The plan">
      {chunks.slice(0, Math.ceil(shown.value / together))}
      {rest > 0 && (
        <p class="plan-rest" role="listitem">
          <button type="button" class="button" onClick={openRest}>
            Show the other {rest} lines
          </button>
        </p>
      )}
    </div>
  );
}

/** In whole chunks. */
function unaskedOf(pieces: readonly Piece[]): number {
  let [count, characters] = [0, 0];
  for (const { text } of pieces) {
    characters += text.length;
    if (characters > unaskedCharacters || count >= unaskedPieces) break;
    count += 1;
  }
  const whole = Math.max(together, Math.floor(count / together) * together);
  return count === pieces.length ? count : Math.min(pieces.length, whole);
}

/** The same nodes each time, so that showing more costs only what is new. */
function chunksOf(pieces: readonly Piece[]): VNode[] {
  return Array.from({ length: Math.ceil(pieces.length / together) }, (_, at) => (
    <div key={at} role="presentation" class="plan-lines">
      {pieces.slice(at * together, (at + 1) * together).map((piece) => (
        <Line key={piece.number} piece={piece} />
      ))}
    </div>
  ));
}

function Line({ piece: { number, name, text, notes, continues, isHalf } }: { readonly piece: Piece }) {
  const looks = [notes.length > 0 && 'is-unusual', continues && 'continues', isHalf && 'is-half'];
  return (
    <div class={['plan-line', ...looks].filter(Boolean).join(' ')} data-piece={number} role="listitem">
      <span class="plan-name">{name}</span>
      <span class="plan-text">
        <q class="agent-text" dir="ltr">
          <WithBlanks text={text} />
        </q>
        {notes.map((note) => (
          <span key={note} class="tag warn">
            {note}
          </span>
        ))}
      </span>
    </div>
  );
}

/** Each blank can be seen: a line breaks in other places, too. */
function WithBlanks({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(' ').map((word, at) => (
        <Fragment key={at}>
          {at > 0 && <span class="blank"> </span>}
          <Rendered text={word} />
        </Fragment>
      ))}
    </>
  );
}

/** Below the bar with the buttons nobody reads. */
function createObserver(reading: Reading): IntersectionObserver {
  const bar = document.querySelector('.answer-bar')?.getBoundingClientRect().height ?? 0;
  return new IntersectionObserver(
    (entries, observer) => {
      const seen = entries.filter(({ intersectionRatio }) => intersectionRatio >= enough);
      for (const { target } of seen) observer.unobserve(target);
      reading.see(seen.map(({ target }) => Number((target as HTMLElement).dataset['piece'])));
    },
    { rootMargin: `0px 0px -${Math.ceil(bar)}px 0px`, threshold: enough },
  );
}
