const gap = 2;
const least = 6;

/**
 * Widths of columns that fit into `columns` with their gaps. The widest columns shrink first, but never the first
 * `kept`, and none below six. If that is still too much, the last columns are left out.
 */
export function fitColumns(natural: readonly number[], columns: number, kept: number): number[] {
  const room = columns - gap * (natural.length - 1);
  let cap = Math.max(0, ...natural.slice(kept));
  const capped = () => natural.map((width, index) => (index < kept ? width : Math.min(width, cap)));
  while (cap > least && sum(capped()) > room) cap -= 1;
  return leftToRight(capped(), columns);
}

/** The cells for which the row has room, from the left. */
function leftToRight(widths: readonly number[], columns: number): number[] {
  let left = columns;
  return widths.map((width) => {
    const given = Math.max(0, Math.min(width, left));
    left -= given + gap;
    return given;
  });
}

function sum(widths: readonly number[]): number {
  return widths.reduce((all, width) => all + width, 0);
}
