import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { readCodeBase } from '../../tools/architecture/code-base.ts';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const code = readCodeBase(ROOT);

const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
/** Folders below a folder, without those that hold no code. */
const foldersOf = (folder: string): string[] => [
  ...new Set(
    [...code.keys()]
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => path.slice(folder.length + 1).split('/'))
      .flatMap(([name = '', ...rest]) => (rest.length > 0 ? [name] : [])),
  ),
];

describe('docs/architecture.md', () => {
  it('names every folder of shared', () => {
    const named = rowsOf('Folder of `shared`').flatMap(([first = '']) => namesIn(first));

    expect(named.sort()).toEqual(foldersOf('shared').sort());
  });

  it.each(foldersOf('functions'))('names every folder of %s', (module) => {
    const everywhere = ['api', 'assets', 'domain', 'in-process', 'jobs', 'store'];
    const row = rowsOf('Module').find(([name]) => name === `\`${module}\``);
    const own = foldersOf(`functions/${module}`).filter((name) => !everywhere.includes(name));

    expect(row, `no row of ${module}`).toBeDefined();
    expect(own.filter((name) => !namesIn(row?.join(' ') ?? '').includes(name))).toEqual([]);
  });

  it('names only folders and files that exist', () => {
    const files = new Set(
      globSync('{bin,examples,functions,shared,lib,docs,test}/**/*', { cwd: ROOT }),
    );
    const names = new Set([...files].map((path) => path.slice(dirname(path).length + 1)));
    const missing = quoted
      .filter((text) => /^[\w./-]+(\.ts|\.md|\/)$/.test(text))
      .map((text) => text.replace(/\/$/, ''))
      .filter((path) => {
        const places = [path, `functions/${path}`];
        return path.includes('/') ? !places.some((place) => files.has(place)) : !names.has(path);
      });

    expect(missing).toEqual([]);
  });

  it('is one page', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(180);
  });
});

/** Rows of the table whose first heading it is. */
function rowsOf(heading: string): string[][] {
  const table = page.slice(page.indexOf(`| ${heading}`)).split('\n\n')[0] ?? '';
  return table
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
