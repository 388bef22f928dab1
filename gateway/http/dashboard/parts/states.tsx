import type { ComponentChildren } from 'preact';
import { problemText } from './problem-text.ts';

interface EmptyProps {
  readonly title: string;
  /** What would be here, and how it comes about. */
  readonly children: ComponentChildren;
}

/** A place where nothing is: it teaches what will be here. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <svg viewBox="0 0 48 48" fill="none" stroke="currentColor" stroke-width="2.5" aria-hidden="true">
        <path d="M14 36V20a10 10 0 0 1 20 0v16M24 22v14" stroke-linecap="round" />
        <circle cx="24" cy="24" r="22" />
      </svg>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** The shape of a list that is on its way: nothing jumps when it comes. */
export function Loading({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div class="loading" role="status">
      <p class="heard-only">Loading</p>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} />
      ))}
    </div>
  );
}

interface TroubleProps {
  /** What the page wanted: `The list of agents`. */
  readonly what: string;
  readonly error: Error;
  readonly again?: () => void;
}

/** What did not work, why, and what to do. */
export function Trouble({ what, error, again }: TroubleProps) {
  return (
    <div class="trouble" role="alert">
      <p>
        {what}: {problemText(error)}
      </p>
      {again !== undefined && (
        <button type="button" class="button short" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}
