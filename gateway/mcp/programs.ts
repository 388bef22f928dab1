import type { ToolView } from '../ports/tool-view.ts';
import type { WardenApi } from '../ports/warden-api.ts';

/** What an agent can run over MCP: mirror and passthrough need the agent's own container at the other end. */
export function programsOf(warden: Pick<WardenApi, 'tools'>): ToolView[] {
  return warden.tools().filter(({ strategy }) => strategy === 'ghost' || strategy === 'fetch');
}

const mostNames = 50;

/** Which names there are, for who asked for another one. */
export function namesText(programs: readonly ToolView[]): string {
  if (programs.length === 0) return 'There is no program that you may run here.';
  const names = programs.slice(0, mostNames).map(({ name }) => name);
  const more = programs.length > mostNames ? ' and more, which list_programs tells' : '';
  return `Programs that you may run: ${names.join(', ')}${more}.`;
}
