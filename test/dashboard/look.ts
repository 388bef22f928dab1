import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe has to say against the page, one line for each place. */
export async function axeFaults(page: Page): Promise<string[]> {
  // The debugger's own world: the page's policy would not let the page load it.
  await page.evaluate(axe);
  const found = await page.evaluate<{ id: string; nodes: { target: string[]; failureSummary: string }[] }[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/** How far the page can be scrolled sideways, in pixels. */
export function sideways(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
