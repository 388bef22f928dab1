import type { EgressError, EgressFault } from '../../src/egress/egress-error.ts';

/** What a client of the way out is told. npm and Python show nothing but the reason phrase. */
export interface Refusal {
  readonly status: number;
  /** Printable ASCII, at most 200 bytes. */
  readonly line: string;
  /** JSON. */
  readonly body: string;
}

const statuses: Readonly<Record<EgressFault, number>> = {
  denied: 403,
  invalid: 400,
  unreachable: 502,
  late: 504,
  limit: 503,
};

const longest = 200;

/** What `hide` masks is masked before the line is cut. */
export function refusalOf({ fault, message }: EgressError, hide = (text: string) => text): Refusal {
  const code = fault === 'denied' ? 'egress-denied' : `egress-${fault}`;
  const line = `clawrden: ${code}: ${hide(message)}`.replace(/[^\x20-\x7e]/g, '?').slice(0, longest);
  return { status: statuses[fault], line, body: `${JSON.stringify({ error: line })}\n` };
}

/** The whole answer, for a connection that has no other any more. */
export function refusalBytes({ status, line, body }: Refusal): string {
  const head = [
    `HTTP/1.1 ${status} ${line}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
