import { z } from 'zod';
import { nearestHint } from './nearest.ts';
import type { YamlSource } from './read-yaml.ts';

export type ShapeResult<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** The value of `source` if it has the shape of `schema`, else every place that has not. */
export function checkShape<T>(schema: z.ZodType<T>, source: YamlSource): ShapeResult<T> {
  const result = schema.safeParse(source.value, { error: describe });
  if (result.success) return { value: result.data };
  // To find a line takes a look at all before it, and nobody reads a thousand problems.
  const issues = result.error.issues.slice(0, most);
  const sorted = issues.toSorted((a, b) => source.lineOf(a.path) - source.lineOf(b.path));
  return { problems: sorted.flatMap((issue) => toProblems(issue, source)).slice(0, most) };
}

/** Problems of one file that are told. */
const most = 100;

/** An object with only the keys of `shape`. For any other key the problem names the nearest valid key. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys
            .slice(0, most)
            .map((key) => `is not a known key${nearestHint(key, known, 'key')}`)
            .join('\n')
        : undefined,
  });
}

function toProblems(issue: z.core.$ZodIssue, source: YamlSource): string[] {
  if (issue.code !== 'unrecognized_keys') return [source.problem(issue.path, issue.message)];
  const messages = issue.message.split('\n');
  return issue.keys
    .slice(0, most)
    .map((key, index) => source.problem([...issue.path, key], messages[index] ?? ''));
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'nothing',
};

function describe(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${nouns[issue.expected] ?? issue.expected}, not ${kindOf(issue.input)}`;
    case 'invalid_value':
      return mustBeOneOf(issue.values.map(String), issue.input);
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not valid';
    case 'too_small':
      return tooFew(issue.origin, Number(issue.minimum));
    case 'too_big':
      return `must be at most ${String(issue.maximum)}${issue.origin === 'number' ? '' : ' long'}`;
    default:
      return issue.message ?? 'is not valid';
  }
}

function mustBeOneOf(values: readonly string[], input: unknown): string {
  if (input === undefined) return 'is missing';
  const hint = typeof input === 'string' ? nearestHint(input, values, 'value') : '';
  return `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}${hint}`;
}

function tooFew(origin: string, minimum: number): string {
  return origin === 'number' ? `must be at least ${minimum}` : 'must not be empty';
}

function kindOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return nouns[typeof value] ?? typeof value;
}
