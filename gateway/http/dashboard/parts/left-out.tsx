/** Says that the terminal did not get all that was written. */
export function LeftOut({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span
      class="soft"
      title="Titles, links, modes, and questions that a terminal would answer. Text, colours and movements are shown."
    >
      {count === 1 ? 'One control sequence was' : `${count} control sequences were`} left out
    </span>
  );
}
