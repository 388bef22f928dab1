/** Far below what any client or server takes in one message. */
export const pageBytes = 512 * 1024;

export interface PageShape<Row, Message> {
  readonly limit: number;
  readonly toMessage: (row: Row) => Message;
  /** Its generated code. */
  readonly type: { encode(message: Message): { finish(): Uint8Array } };
}

/** One message of a list while it fills, measured as it is sent. */
export interface Page<Row, Message> {
  readonly messages: readonly Message[];
  readonly rows: readonly Row[];
  /** False where the row is left out, and with it all that come behind it. The first one always fits: every list goes on. */
  readonly add: (row: Row) => boolean;
  /** Something was left out. */
  readonly more: () => boolean;
}

export function newPage<Row, Message>({
  limit,
  toMessage,
  type,
}: PageShape<Row, Message>): Page<Row, Message> {
  const [messages, rows]: [Message[], Row[]] = [[], []];
  let [bytes, more] = [0, false];
  return {
    messages,
    rows,
    more: () => more,
    add: (row) => {
      const message = toMessage(row);
      // Its tag and length come on top.
      bytes += type.encode(message).finish().length + 8;
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
