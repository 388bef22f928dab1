import type { GetWorkspaceResponse } from '../../../gen/clawrden/v1/warden.ts';
import { renderBytes } from '../../../text/render-text.ts';
import { doubtful, type Finding } from './finding.ts';

const namedMost = 3;

/** What replicas do not get of a workspace, as the agent's user may not read it at home. */
export function judgeUnreadable(agent: string, { home }: GetWorkspaceResponse): Finding[] {
  const closed = home?.skipped.filter(({ why }) => why === 'unreadable') ?? [];
  if (closed.length === 0) return [];
  const named = closed.slice(0, namedMost).map(({ path }) => renderBytes(path));
  const more = closed.length > named.length ? ` and ${closed.length - named.length} more` : '';
  const text = `its user may not read ${named.join(', ')}${more}: on a Docker host that is empty`;
  return [
    doubtful(`workspace of ${agent}`, text, 'give that user the right to read it, or name it in excludes'),
  ];
}
