import { leavesOf, type Subcommand } from '../arguments/tools/grammar.ts';
import { type KnownTools, knownTools } from '../arguments/tools/known-tools.ts';
import { opaqueTools, shells, wrapperData } from '../arguments/tools/wrapper-data.ts';
import type { Policy, Rule, RunOverrides, ToolDefinition } from '../policy.ts';
import { isOneOf } from './risky-tools.ts';
import { ruleAt } from './rule-at.ts';
import { runsBesides, whatRuns } from './what-runs.ts';

/** Tools that run what stands in the workspace, so its agent can have them tell what they are given. */
const runAgentsCode: ReadonlySet<string> = new Set([
  ...[...shells, ...wrapperData.keys(), ...opaqueTools],
  ...['node', 'nodejs', 'deno', 'bun', 'npx', 'bunx', 'tsx', 'python', 'perl', 'ruby', 'php', 'lua', 'java'],
  ...[
    'awk',
    'gawk',
    'mawk',
    'sed',
    'find',
    'tclsh',
    'expect',
    'vi',
    'vim',
    'nvim',
    'emacs',
    'uv',
    'uvx',
    'poetry',
  ],
  ...[
    'make',
    'gmake',
    'ninja',
    'cmake',
    'rake',
    'gradle',
    'mvn',
    'sbt',
    'cargo',
    'go',
    'bazel',
    'tox',
    'pytest',
  ],
  ...['npm', 'pnpm', 'yarn', 'corepack', 'composer', 'bundle', 'pip', 'pipx', 'gem', 'conda', 'pdm', 'hatch'],
  ...[
    'gradlew',
    'mvnw',
    'ant',
    'just',
    'task',
    'meson',
    'nox',
    'pre-commit',
    'mix',
    'lein',
    'dotnet',
    'swift',
  ],
  ...['terraform', 'tofu', 'terragrunt'],
  ...['docker', 'docker-compose', 'podman', 'nerdctl', 'buildah'],
  ...['pypy', 'Rscript', 'R', 'julia', 'guile', 'elixir', 'erl', 'octave', 'runghc', 'ghci', 'jupyter'],
]);

/** Whatever they do: programs are named in the configuration of a repository, and that is a file of the agent's. */
const runConfigured: ReadonlySet<string> = new Set(['git', 'hg', 'jj']);

/** They print any part of a file that their line names, and what they are given is in `/proc/self/environ`, too. */
const printFiles: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'sort', 'tar', 'gtar']);

interface Use {
  /** How `policy check` names it. */
  readonly at: string;
  readonly tool: ToolDefinition;
  readonly rule?: Rule;
}

/** What the agent of a tool with secrets may do to get at them: errors for what nothing is in the way of. */
export function findSecretErrors(policy: Policy): string[] {
  const { known = knownTools } = policy;
  return usesOf(policy)
    .filter(({ rule }) => rule === undefined || rule.overrides?.secrets !== undefined)
    .filter(({ tool, rule }) => isOneOf(runAgentsCode, tool.name) && !runsNothing(tool.name, rule, known))
    .map(
      ({ at, tool: { name } }) =>
        `${at} gives secrets to ${name}, which runs what its agent wrote: give them to a tool that does not`,
    );
}

export function findSecretWarnings(policy: Policy): string[] {
  const { known = knownTools } = policy;
  return usesOf(policy).flatMap((use) => {
    const { at, tool, rule } = use;
    // What the tool says by itself is told once.
    const said = rule?.overrides?.secrets === undefined ? (rule?.overrides ?? tool) : tool;
    const reaches = said.network !== undefined || said.reach !== undefined;
    const isGiven = (said.secrets?.size ?? 0) > 0;
    const isUnknown = !known.has(tool.name) && !isOneOf(runAgentsCode, tool.name);
    return [
      ...(isUnknown && isGiven
        ? [
            `${at} gives secrets to ${tool.name}, of which nothing is known: see that it runs nothing that its agent wrote`,
          ]
        : []),
      ...(isOneOf(runConfigured, tool.name) && isGiven
        ? [
            `${at} gives secrets to ${tool.name}, which runs programs that the configuration of a repository names: its agent can read them`,
          ]
        : []),
      ...(isOneOf(printFiles, tool.name) && isGiven
        ? [
            `${at} gives secrets to ${tool.name}, which prints any part of a file that its line names, what it is given among it: its agent can read them`,
          ]
        : []),
      ...(isGiven ? findRuns(use, policy) : []),
      ...(said.unmasked === true
        ? [`${at} does not mask the secrets of ${tool.name}: its agent reads what it prints`]
        : []),
      ...(said.workspace === 'write'
        ? [
            `${at} gives secrets to ${tool.name}, which may write them to the workspace: workspace: read, or none`,
          ]
        : []),
      ...(reaches && isWide(tool)
        ? [
            `${at} gives secrets to ${tool.name}, which can reach more than one server: give it a network of that one`,
          ]
        : []),
    ];
  });
}

/** Tools that are given secrets wherever they run, rules that give some, and rules that change how who has some runs. */
function usesOf(policy: Policy): Use[] {
  const tools = [...policy.tools.values()];
  const rules = policy.version === 1 ? policy.rules : [];
  const concerns = ({ overrides }: Rule, { secrets }: ToolDefinition) =>
    overrides?.secrets !== undefined ||
    (secrets.size > 0 && overrides !== undefined && isLoosening(overrides));
  return [
    ...tools.filter(({ secrets }) => secrets.size > 0).map((tool) => ({ at: `tools.${tool.name}`, tool })),
    ...rules.flatMap((rule) =>
      tools
        .filter((tool) => (rule.tools?.has(tool.name) ?? true) && concerns(rule, tool))
        .map((tool) => ({ at: ruleAt(rule), tool: { ...tool, ...rule.overrides }, rule })),
    ),
  ];
}

/** What the data of a known tool says that it runs: not of those that are named above. One line, for what lets it. */
function findRuns({ at, tool, rule }: Use, policy: Policy): string[] {
  const { name } = tool;
  const grammar = (policy.known ?? knownTools).get(name);
  if (grammar === undefined || isOneOf(runAgentsCode, name) || isOneOf(runConfigured, name)) return [];
  const openers = rule === undefined ? openersOf(policy, tool) : [{ by: '', rule }];
  return openers
    .flatMap(({ by, rule: opener }) => {
      const { byFiles, byLine } = whatRuns(name, grammar, opener);
      const seesFiles = (opener?.overrides?.workspace ?? tool.workspace) !== 'none';
      const what = (seesFiles ? byFiles : undefined) ?? byLine;
      if (what === undefined) return [];
      return `${at} gives secrets to ${name}, and ${by}lets it run ${what}: its agent can read them if it wrote that; give it safe-arguments and sub-commands that only look, or workspace: none if only files say so`;
    })
    .slice(0, 1);
}

interface Opener {
  /** Empty if that is the rule that gives the secrets. */
  readonly by: string;
  /** Absent: what no rule is about. */
  readonly rule?: Rule;
}

/** What lets lines of the tool through. */
function openersOf(policy: Policy, { name, otherwise }: ToolDefinition): Opener[] {
  const rules = policy.version === 1 ? policy.rules : [];
  const opening = rules.filter(({ action, tools }) => action !== 'deny' && (tools?.has(name) ?? true));
  const rest = otherwise === undefined ? 'default ' : `tools.${name}.otherwise `;
  return [
    ...opening.map((rule) => ({ by: `${ruleAt(rule)} `, rule })),
    ...((otherwise ?? policy.defaultAction) === 'deny' ? [] : [{ by: rest }]),
  ];
}

/** The rule lets through only what runs no other program, and nothing that a file of the agent's names. */
function runsNothing(tool: string, rule: Rule | undefined, known: KnownTools): boolean {
  const grammar = known.get(tool);
  if (rule === undefined || grammar === undefined || grammar.runs !== undefined) return false;
  const { subcommands, safeArguments } = rule;
  // Without it any operand or option may stand there: `npm view owner/name` runs the git that .npmrc names.
  if (safeArguments !== true) return false;
  // What is no sub-command is its agent's script (of awk), unless the tool then only says what it is.
  if (grammar.subcommands === undefined) return grammar.prints !== undefined;
  const all = grammar.subcommands;
  if (subcommands !== undefined) return [...subcommands].every((name) => isAlone(all.get(name), all));
  return leavesOf(all).every((one) => !one.harmless || isAlone(one, all));
}

function isAlone(one: Subcommand | undefined, all: ReadonlyMap<string, Subcommand>): boolean {
  if (one === undefined || !one.harmless || one.runsOperands === true) return false;
  return runsBesides(one, all) === undefined;
}

function isLoosening({ network, reach, workspace, unmasked }: RunOverrides): boolean {
  return network !== undefined || reach !== undefined || workspace === 'write' || unmasked === true;
}

function isWide({ network, reach }: ToolDefinition): boolean {
  const [first, ...more] = reach.allow;
  return network !== 'none' || more.length > 0 || first?.to.startsWith('*') === true;
}
