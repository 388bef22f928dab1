/** Far less than any client or server accepts in one message. */
export const pageBytes = 512 * 1024;

/** How a door shows the rows of a list. */
export interface RowShape<Row, Message> {
  readonly toMessage: (row: Row) => Message;
  /** The message's size on that door's wire. */
  readonly bytesOf: (message: Message) => number;
}

export interface PageShape<Row, Message> extends RowShape<Row, Message> {
  readonly limit: number;
}

/** One message of a list while it is filled, measured in its encoded size. */
export interface Page<Row, Message> {
  readonly messages: readonly Message[];
  readonly rows: readonly Row[];
  /**
   * False if the row, and with it all later ones, is left out. The first row always fits, so every list makes
   * progress.
   */
  readonly add: (row: Row) => boolean;
  /** Some rows were left out. */
  readonly more: () => boolean;
}

export function newPage<Row, Message>({
  limit,
  toMessage,
  bytesOf,
}: PageShape<Row, Message>): Page<Row, Message> {
  const [messages, rows]: [Message[], Row[]] = [[], []];
  let [bytes, more] = [0, false];
  return {
    messages,
    rows,
    more: () => more,
    add: (row) => {
      const message = toMessage(row);
      // Its tag and length are added.
      bytes += bytesOf(message) + 8;
      more ||= messages.length >= limit || (messages.length > 0 && bytes > pageBytes);
      if (more) return false;
      messages.push(message);
      rows.push(row);
      return true;
    },
  };
}

export function fillPage<Row, Message>(
  rows: Iterable<Row>,
  shape: PageShape<Row, Message>,
): Page<Row, Message> {
  const page = newPage(shape);
  for (const row of rows) if (!page.add(row)) break;
  return page;
}
