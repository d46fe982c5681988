import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundlePage } from '../../../../lib/bundling/page-scripts.ts';
import { temporaryFolder } from '../synthesise.ts';

/** A page of two files, and what it is bundled to. */
function aPage() {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('page.ts', "import { text } from './text.ts';\nexport const show = () => text;\n");
  write('text.ts', "export const text = 'before';\n");
  const bundle = () => {
    bundlePage({ name: 'page', file: join(folder, 'page.ts') }, join(folder, 'out'));
    return readFileSync(join(folder, 'out/page.js'), 'utf8');
  };
  return { write, bundle };
}

describe('the script of a page', () => {
  it('is the same as long as nothing of it changes', () => {
    const { bundle } = aPage();

    expect(bundle()).toBe(bundle());
  });

  it('is bundled again when a file changes that it takes in', () => {
    const { write, bundle } = aPage();
    expect(bundle()).toContain('before');

    write('text.ts', "export const text = 'behind';\n");

    expect(bundle()).toContain('behind');
  });

  it('is refused for as long as HTML would not take it', () => {
    const { write, bundle } = aPage();
    bundle();
    write('text.ts', "export const text = '<!--';\n");

    expect(bundle).toThrow(/the page page has HTML in its script/);
    expect(bundle).toThrow(/the page page has HTML in its script/);
    write('text.ts', "export const text = 'right again';\n");
    expect(bundle()).toContain('right again');
  });
});
