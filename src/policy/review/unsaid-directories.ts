import { everyOption } from '../arguments/tools/every-option.ts';
import type { Option, ToolGrammar } from '../arguments/tools/grammar.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import type { Policy } from '../policy.ts';
import { ruleAt } from './rule-at.ts';

/** What tools call the option of the directory in which they work. */
const usual = ['-C', '--cwd', '--dir', '--directory', '--chdir', '-chdir', '--prefix', '--project-directory'];

/** Allow rules with cwd of a tool that the policy teaches, and does not say which option leads elsewhere. */
export function findUnsaidDirectories({
  rules,
  tools,
  known = knownTools,
}: Policy & { version: 1 }): string[] {
  const narrow = rules.filter(({ action, cwd }) => action === 'allow' && cwd !== undefined);
  return narrow.flatMap((rule) =>
    [...(rule.tools ?? tools.keys())].flatMap((tool) => {
      const shipped = new Set(namesIn(knownTools.get(tool), () => true));
      const isUnsaid = ({ value, isDirectory }: Option) => value !== 'none' && isDirectory !== true;
      const named = namesIn(known.get(tool), isUnsaid).find(
        (name) => usual.includes(name) && !shipped.has(name),
      );
      return named === undefined
        ? []
        : [
            `${ruleAt(rule)}: cwd does not hold if "${named}" of ${tool} leads to another directory: if it does, write it as ${named}=/ in tools.${tool}.arguments`,
          ];
    }),
  );
}

function namesIn(grammar: ToolGrammar | undefined, isMeant: (option: Option) => boolean): readonly string[] {
  if (grammar === undefined) return [];
  return everyOption(grammar).flatMap(([name, option]) => (isMeant(option) ? [name] : []));
}
