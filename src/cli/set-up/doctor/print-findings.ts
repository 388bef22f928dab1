import { type Color, printJson, printLine } from '../../print/output.ts';
import type { Finding } from './finding.ts';

/** Exit status 1 if any finding is an error. */
export function printFindings(findings: readonly Finding[], asJson: boolean): void {
  if (asJson) printJson(findings);
  else print(findings);
  if (findings.some(({ level }) => level === 'error')) process.exitCode = 1;
}

const colors: Readonly<Record<Finding['level'], Color>> = { ok: 'green', warning: 'yellow', error: 'red' };

function print(findings: readonly Finding[]): void {
  for (const { check, level, text, fix } of findings) {
    printLine([level.padEnd(9), colors[level]], `${check}: ${text}`);
    if (fix !== '') printLine('         ', ['fix: ', 'bold'], fix);
  }
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  printLine(`${count('ok')} ok, ${count('warning')} to look at, ${count('error')} to mend`);
}
