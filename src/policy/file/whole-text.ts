import type { Assignment } from '../assignment.ts';
import type { ToolFile } from './tool-file.ts';

/**
 * Everything that decides, as one stream of YAML documents: policy.yaml, the front matter of each tool file, and the
 * assignments. The policy's hash is the hash of this text; without additions it is the text of policy.yaml itself.
 */
export function wholeText(
  text: string,
  files: readonly ToolFile[],
  assignments: readonly Assignment[],
): string {
  if (files.length === 0 && assignments.length === 0) return text;
  const parts = [
    text.endsWith('\n') ? text : `${text}\n`,
    ...files.map(({ name, front }) => `--- # tool file ${name}.md\n${front}`),
    ...(assignments.length === 0 ? [] : ['--- # assignments\n', ...assignments.map(lineOf)]),
  ];
  return parts.join('');
}

function lineOf({ agent, tool, action }: Assignment): string {
  return `- { agent: ${JSON.stringify(agent)}, tool: ${JSON.stringify(tool)}, action: ${action} }\n`;
}
