import { z } from 'zod';
import { checkShape, strictObject } from '../../config/check-shape.ts';
import { readYaml } from '../../config/read-yaml.ts';
import { type Composed, composePolicy } from '../file/compose-policy.ts';
import { parseToolFile } from '../file/tool-file.ts';

const assignmentsSchema = z.array(
  strictObject({ agent: z.string(), tool: z.string(), action: z.enum(['allow', 'ask']) }),
);

/**
 * The text of a policy file, or of a whole policy as the gateway shows it. `isOpen`: tool files may define what it names
 * and does not define.
 */
export function composeWhole(text: string, file: string, isOpen: boolean): Composed {
  const [policy = '', ...documents] = text.split(/^--- # (tool file \S+\.md|assignments)\n/m);
  if (documents.length === 0) return composePolicy(text, file, isOpen ? { toolFiles: [] } : {});
  const parts = documents.flatMap((title, at) =>
    at % 2 === 0 ? [{ title, body: documents[at + 1] ?? '' }] : [],
  );
  const tools = parts.filter(({ title }) => title !== 'assignments').map(toToolFile);
  const assigned = parts
    .filter(({ title }) => title === 'assignments')
    .map(({ body }) => toAssignments(body));
  const problems = [...tools, ...assigned].flatMap((one) => ('problems' in one ? one.problems : []));
  if (problems.length > 0) return { problems };
  const composed = composePolicy(policy, file, {
    toolFiles: tools.flatMap((one) => ('file' in one ? [[one.file]] : [])),
    assignments: assigned.flatMap((one) => ('value' in one ? one.value : [])),
  });
  return 'unfit' in composed && composed.unfit.length > 0 ? { problems: composed.unfit } : composed;
}

function toToolFile({ title, body }: { title: string; body: string }): ReturnType<typeof parseToolFile> {
  const file = title.slice('tool file '.length);
  return parseToolFile(`---\n${body}---\n`, file, file.slice(0, -'.md'.length));
}

function toAssignments(body: string) {
  const yaml = readYaml(body, 'assignments');
  if ('problems' in yaml) return yaml;
  const shape = checkShape(assignmentsSchema, yaml.source);
  return 'problems' in shape ? shape : { value: shape.value.map((one) => ({ ...one, by: 'an admin' })) };
}
