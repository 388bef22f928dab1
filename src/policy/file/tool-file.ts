import { z } from 'zod';
import { checkShape, strictObject } from '../../config/check-shape.ts';
import { readYaml, type YamlSource } from '../../config/read-yaml.ts';
import { helpToolName } from '../help-tool.ts';
import { isToolName } from '../request/tool-name.ts';
import { findTeachingProblems, taughtBy } from './find-teaching-problems.ts';
import { reasonField } from './policy-schema.ts';
import { splitFrontMatter } from './split-front-matter.ts';
import { checkTool, type ToolsFile, toolFields } from './tool-schema.ts';

/** A tool as one Markdown file: faultless by itself, whatever the policy says. */
export interface ToolFile {
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** Markdown. */
  readonly documentation: string;
  /** The text of its front matter. */
  readonly front: string;
  readonly tool: ToolsFile[string];
  readonly source: YamlSource;
}

export type ToolFileResult = { readonly file: ToolFile } | { readonly problems: readonly string[] };

export const toolFileSuffix = '.md';

/** What a shell takes for more than a letter of a word. */
export const shellCharacters = ';|&$`()[]{}<>\n\r\v\f\u0085\u2028\u2029\0';

export const toolFileSchema = strictObject({
  name: z.string(),
  description: reasonField,
  ...toolFields,
  // Only a rule lets a tool run.
  otherwise: z.enum(['ask', 'deny']).optional(),
  // An empty text forbids nothing.
  'forbid-characters': z.string().max(256).default(shellCharacters),
}).superRefine(checkTool);

/** `name`: the file's own, without its suffix. Each fault of the text is one line, `file:line: key: what`. */
export function parseToolFile(text: string, file: string, name: string): ToolFileResult {
  const parts = splitFrontMatter(text);
  if ('fault' in parts) return { problems: [`${file}:${parts.line}: ${parts.fault}`] };
  const { front, documentation } = parts;
  // The line before it is part of the file, too.
  const yaml = readYaml(`\n${front}`, file);
  if ('problems' in yaml) return yaml;
  const { source } = yaml;
  const shape = checkShape(toolFileSchema, source);
  if ('problems' in shape) return shape;
  const { name: said, description, ...tool } = shape.value;
  const problems = [
    ...findNameProblems(said, name, source),
    ...findTeachingProblems(taughtBy({ [said]: tool }), source, () => []),
  ];
  if (problems.length > 0) return { problems };
  return { file: { name, description, documentation, front, tool, source } };
}

function findNameProblems(said: string, name: string, source: YamlSource): string[] {
  if (name === helpToolName) return [source.problem(['name'], "is Clawrden's own name")];
  if (!isToolName(name)) return [source.problem(['name'], 'a tool must have a plain file name')];
  return said === name ? [] : [source.problem(['name'], `must be "${name}", as the file is called`)];
}
