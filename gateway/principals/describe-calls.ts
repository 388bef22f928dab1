import { roles } from '../ports/principal.ts';
import { type CallRule, callRules } from './call-rules.ts';

const abouts: Record<CallRule['about'], string> = { agents: 'its agents', all: 'empty', own: '' };

/** The table of `docs/security.md`: each call, who may make it, and what a scope does to it. */
export function describeCalls(): string {
  const head = ['Call', ...roles, 'Scope'];
  const rows = [...callRules].map(([call, rule]) => [
    `\`${call}\``,
    ...roles.map((role) => (rule.roles.includes(role) ? 'yes' : '')),
    abouts[rule.about],
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
