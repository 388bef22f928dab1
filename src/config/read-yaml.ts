import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import { maxConfigBytes } from './read-text-file.ts';
import { overYamlBudget } from './yaml-budget.ts';

export type Path = readonly PropertyKey[];

/** A file's plain value, and the names of the places in it. */
export interface YamlSource {
  readonly value: unknown;
  /** Line numbers begin with 1. If `path` does not exist, this is the line of the nearest key that does. */
  readonly lineOf: (path: Path) => number;
  /** `file:line: key.path: what`. */
  readonly problem: (path: Path, what: string) => string;
}

export type YamlResult = { readonly source: YamlSource } | { readonly problems: readonly string[] };

const maxDepth = 32;

/**
 * Reads one YAML 1.2 document. Refuses duplicate keys, unknown tags, aliases, keys that are not texts, several
 * documents, an empty file, more than 1 MiB, and deep nesting. Takes well under a second for any text.
 */
export function readYaml(text: string, file: string): YamlResult {
  if (Buffer.byteLength(text) > maxConfigBytes) {
    return { problems: [`${file}:1: it is larger than ${maxConfigBytes} bytes`] };
  }
  const over = overYamlBudget(text);
  if (over !== undefined) return { problems: [`${file}:1: ${over}`] };
  const lines = new LineCounter();
  try {
    return fromDocument(parse(text, lines), lines, file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { problems: [`${file}:1: it cannot be parsed: ${why}`] };
  }
}

function parse(text: string, lineCounter: LineCounter): Document.Parsed {
  return parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    // The parser's own check compares every pair of keys; `toPlain` needs only one pass.
    uniqueKeys: false,
    merge: false,
    // With 'silent' the parser would ignore a second document without an error.
    logLevel: 'error',
  });
}

function fromDocument(document: Document.Parsed, lines: LineCounter, file: string): YamlResult {
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const problems = [...document.errors, ...document.warnings].map(
    (fault) => `${file}:${lineAt(fault.pos[0])}: ${firstLine(fault.message)}`,
  );
  const root = document.contents;
  if (problems.length === 0 && root === null) problems.push(`${file}:1: the file is empty`);
  if (problems.length > 0 || root === null) return { problems };
  const report = (node: Node, what: string): void => {
    problems.push(`${file}:${lineAt(node.range?.[0] ?? 0)}: ${what}`);
  };
  const value = toPlain(root, report, 0);
  if (problems.length > 0) return { problems };
  const lineOf = (path: Path): number => lineAt(offsetOf(root, path));
  return {
    source: {
      value,
      lineOf,
      problem: (path, what) =>
        path.length === 0
          ? `${file}:${lineOf(path)}: ${what}`
          : `${file}:${lineOf(path)}: ${formatPath(path)}: ${what}`,
    },
  };
}

type Report = (node: Node, what: string) => void;

function toPlain(node: unknown, report: Report, depth: number): unknown {
  if (isScalar(node)) return node.value;
  if (isMap(node) || isSeq(node)) {
    if (depth >= maxDepth) return report(node, 'it is nested too deeply');
    if (isSeq(node)) return node.items.map((item) => toPlain(item, report, depth + 1));
    return mapToPlain(node, report, depth + 1);
  }
  if (isAlias(node)) report(node, `aliases (*${node.source}) are not allowed`);
  return undefined;
}

function mapToPlain(map: YAMLMap, report: Report, depth: number): unknown {
  const plain = new Map<string, unknown>();
  for (const { key, value } of map.items) {
    if (!isScalar(key) || typeof key.value !== 'string') {
      report(isScalar(key) ? key : map, 'a key must be a text');
    } else if (key.value === '__proto__') {
      report(key, 'the key "__proto__" is not allowed');
    } else if (plain.has(key.value)) {
      report(key, `the key "${key.value}" is there twice`);
    } else {
      plain.set(key.value, toPlain(value, report, depth));
    }
  }
  return Object.fromEntries(plain);
}

function offsetOf(root: ParsedNode, path: Path): number {
  let offset = root.range[0];
  let node: unknown = root;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === step);
      if (!isPair(pair) || !isScalar(pair.key)) return offset;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step];
      if (!isScalar(node) && !isMap(node) && !isSeq(node)) return offset;
      offset = node.range?.[0] ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

/** `hosts[1].tls.ca`. */
function formatPath(path: Path): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`,
    )
    .join('');
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
