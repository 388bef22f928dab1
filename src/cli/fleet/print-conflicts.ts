import type { GatewayClient } from '../../gateway-client/connect-gateway.ts';
import { type KeptFile, WardenServiceService } from '../../gen/clawrden/v1/warden.ts';
import { renderArgument, renderBytes, renderPath } from '../../text/render-text.ts';
import { type Cell, printJson, printLine, printTable } from '../print/output.ts';
import { localTime } from '../print/times.ts';
import { type Listed, type Pages, readPages, sayMore } from '../reach/read-pages.ts';
import type { GatewayOptions } from '../reach/with-gateway.ts';

/** Of all sets, or of one. */
export async function listKept(
  client: GatewayClient,
  of: { readonly agent: string; readonly id: string },
  pages: Pages,
): Promise<Listed<KeptFile>> {
  return readPages(pages, async (page) => {
    const { files, nextPageToken } = await client.call(WardenServiceService.listKeptFiles, {
      ...of,
      ...page,
    });
    return { rows: files, next: nextPageToken };
  });
}

export async function printConflicts(
  client: GatewayClient,
  agent: string,
  options: GatewayOptions & Pages,
): Promise<void> {
  const listed = await listKept(client, { agent, id: '' }, options);
  if (options.json === true) printJson(listed.rows.map(keptJson));
  else if (listed.rows.length === 0) printLine('nothing is kept');
  else {
    const headers = ['ID', 'PATH', 'AT', 'WHY', 'WHOSE', 'HOST', 'COMMAND', 'KEPT IN'];
    printTable(headers, listed.rows.map(keptRow), 2);
  }
  sayMore('workspace conflicts', listed);
}

function keptJson({ path, ...file }: KeptFile): object {
  return { ...file, path: shownPath(path), pathBase64: Buffer.from(path).toString('base64') };
}

/** As a person sees it, and types it again. */
export function shownPath(path: Uint8Array): string {
  return renderBytes(path);
}

function keptRow(file: KeptFile): Cell[] {
  return [
    file.id,
    renderPath(file.path),
    localTime(file.at),
    file.why,
    file.whose,
    file.host === '' ? '' : renderArgument(file.host),
    file.execution,
    file.kept === '' ? 'not kept' : `kept/${file.kept}`,
  ];
}
