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

const controls = new Set([
  ...['button', 'link', 'textbox', 'searchbox', 'combobox', 'checkbox', 'radio', 'slider', 'spinbutton'],
  ...['menuitem', 'option', 'tab', 'switch', 'Iframe', 'DisclosureTriangle', 'dialog', 'meter'],
]);

/** Controls of the page that the tree of a screen reader has no name for. */
export async function namelessControls(page: Page): Promise<string[]> {
  const tools = await page.context().newCDPSession(page);
  const { nodes } = await tools.send('Accessibility.getFullAXTree');
  await tools.detach();
  const found = nodes.filter(({ ignored, role }) => !ignored && controls.has(String(role?.value)));
  if (found.length === 0) return ['the tree has no control'];
  return found
    .filter(({ name }) => String(name?.value ?? '').trim() === '')
    .map(({ role, backendDOMNodeId }) => `${role?.value} ${backendDOMNodeId}`);
}

/** By Tab alone, to what has this name. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    const text = await page.evaluate<string>('document.activeElement?.textContent ?? ""');
    if (text === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${name}`);
}
