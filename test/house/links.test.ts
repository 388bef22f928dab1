import { access, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { pages, repository } from './pages.ts';

it('every link between pages leads to a file and a heading that exist', async () => {
  const broken: string[] = [];
  for (const page of await pages())
    for (const link of links(await text(page)))
      if (!(await leadsSomewhere(page, link))) broken.push(`${page}: ${link}`);
  expect(broken).toEqual([]);
});

it('refuses a link to a file or a heading that does not exist', async () => {
  expect(links('see [a](docs/none.md), `[b](c)` and [d](#e)')).toEqual(['docs/none.md', '#e']);
  expect(await leadsSomewhere('README.md', 'docs/none.md')).toBe(false);
  expect(await leadsSomewhere('docs/policy.md', '#no-such-heading')).toBe(false);
  expect(await leadsSomewhere('docs/policy.md', 'reference.md#numbers-that-are-fixed')).toBe(true);
});

function links(page: string): string[] {
  const prose = page.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`(?!\])/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^https?:/.test(link));
}

async function leadsSomewhere(page: string, link: string): Promise<boolean> {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (heading === undefined) return exists(target);
  return anchors(await text(target)).includes(heading);
}

/** A heading's anchor as the common renderers make it. */
function anchors(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function exists(path: string): Promise<boolean> {
  return access(join(repository, path)).then(
    () => true,
    () => false,
  );
}

function text(path: string): Promise<string> {
  return readFile(join(repository, path), 'utf8').catch(() => '');
}
