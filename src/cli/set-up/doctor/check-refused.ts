import { readFile, stat } from 'node:fs/promises';
import { refusalPath } from '../../../config/refusal-path.ts';
import type { RelayConfig } from '../../../config/relay-config.ts';
import { renderText } from '../../../text/render-text.ts';
import { bad, type Finding } from './finding.ts';

const mostBytes = 1024;

/** Whether the relay refused its gateway when that answered last. */
export async function checkRefused({ state }: Pick<RelayConfig, 'state'>): Promise<Finding[]> {
  const file = refusalPath(state);
  try {
    const since = (await stat(file)).mtime.toISOString();
    const why = renderText((await readFile(file, 'utf8')).trim().slice(0, mostBytes));
    const fix = 'upgrade the gateway, then start the relay if it does not run; docs/operations.md';
    return [bad("the relay's gateway", `since ${since} the relay serves nothing for it: ${why}`, fix)];
  } catch {
    return [];
  }
}
