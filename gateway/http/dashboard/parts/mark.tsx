/** The sign of Clawrden: a gate. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#1f5f5b" />
      <path
        d="M10 22V13a6 6 0 0 1 12 0v9M16 14v8"
        fill="none"
        stroke="#f4f1ea"
        stroke-width="2.6"
        stroke-linecap="round"
      />
    </svg>
  );
}
