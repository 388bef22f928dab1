import { join } from 'node:path';
import { packageRoot } from '../../../src/package-root.ts';
import { say } from '../../../src/text/say.ts';
import { startBrowser } from '../start-browser.ts';
import { leaveWork, playDay } from './day.ts';
import { pictures, shoot } from './shoot.ts';
import { type Listed, type Stage, startStage } from './stage.ts';

const folder = process.argv[2] ?? join(packageRoot(), 'docs/pictures');

try {
  await using stage = await startStage((line) => process.stderr.write(`pictures: ${line}\n`));
  await playDay(stage);
  await leaveWork(stage);
  const browser = await startBrowser();
  try {
    const ids = { question: await stage.question('bob', 'kubectl apply'), execution: await testsOf(stage) };
    await shoot(browser, () => linkOf(stage), folder, pictures(ids));
  } finally {
    await browser.close();
  }
} catch (error) {
  say('pictures', error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function linkOf({ as }: Stage): Promise<string> {
  const { link } = JSON.parse(await as('alice', 'dashboard', '--no-open', '--json')) as { link: string };
  return link;
}

/** The run of the tests that failed. */
async function testsOf({ as }: Stage): Promise<string> {
  const executions = JSON.parse(await as('alice', 'history', '--agent', 'coder', '--json')) as Listed[];
  return executions.find(({ argv }) => argv.join(' ') === 'npm test')?.id ?? '';
}
