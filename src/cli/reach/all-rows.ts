import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import type { UnaryMethod } from '../../gateway-client/unary-call.ts';
import { readPages } from './read-pages.ts';

interface Page {
  readonly nextPageToken: string;
}

/** A list that is short enough to be read to its end. */
export async function allRows<Response extends Page, Row>(
  client: GatewayClient,
  method: UnaryMethod<{ pageToken: string }, Response>,
  rowsOf: (page: Response) => readonly Row[],
): Promise<readonly Row[]> {
  const { rows } = await readPages<Row>({}, async ({ pageToken }) => {
    const page = await client.call(method, { pageToken });
    return { rows: rowsOf(page), next: page.nextPageToken };
  });
  return rows;
}
