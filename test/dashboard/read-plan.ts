import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/** Presses on as a person does, until all of the plan has been on the screen and it can be approved. */
export async function readPlan(question: Locator): Promise<void> {
  const on = question.getByRole('button', { name: 'Read on to approve' });
  const approve = question.getByRole('button', { name: 'Approve', exact: true });
  await expect
    .poll(async () => {
      if (await approve.isEnabled()) return 'read';
      // It goes with the last line, maybe in this moment: then nothing is left to be pressed.
      await on.click({ timeout: 1000 }).catch(() => {});
      return 'not yet';
    })
    .toBe('read');
}
