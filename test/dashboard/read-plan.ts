import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/** Presses on as a person does, until all of the plan has been on the screen and it can be approved. */
export async function readPlan(question: Locator): Promise<void> {
  const on = question.getByRole('button', { name: 'Read on to approve' });
  const approve = question.getByRole('button', { name: 'Approve', exact: true });
  let pressed = 'nothing pressed';
  const step = async () => {
    if (await approve.isEnabled()) return 'read';
    // It goes with the last line, maybe in this moment: then nothing is left to be pressed.
    pressed = await on.click({ timeout: 1000 }).then(
      () => 'pressed',
      (error: Error) => error.message,
    );
    return 'not yet';
  };
  await expect
    .poll(step)
    .toBe('read')
    .catch(async (error: unknown) => {
      throw new Error(`not read: ${pressed}; ${await drawn(question)}`, { cause: error });
    });
}

/** What is on the page, and whether the browser still draws it. */
async function drawn(question: Locator): Promise<string> {
  const frames = await question.evaluate(async (element) => {
    const { visibilityState, defaultView } = element.ownerDocument;
    const drew = await new Promise<boolean>((resolve) => {
      setTimeout(resolve, 2000, false);
      defaultView?.requestAnimationFrame(() => resolve(true));
    });
    return `${visibilityState}, ${drew ? 'drawn' : 'not drawn'}`;
  });
  return `${frames}\n${await question.innerText()}`;
}
