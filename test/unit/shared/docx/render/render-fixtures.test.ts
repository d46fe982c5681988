import { beforeAll, describe, expect, it } from 'vitest';
import { isName, normaliseDocx, openDocx, writeDocx } from '../../../../../shared/docx/index.ts';
import { docxFixtures, readFixture } from '../../../../helpers/docx/fixture-folder.ts';
import {
  alike,
  formatsOfMarkers,
  readParagraphs,
  type Stretch,
} from '../../../../helpers/docx/independent-reader.ts';
import { renderFile } from '../../../../helpers/docx/render-template.ts';

const REFUSED = ['poi-simple-macro.docm', 'poi-encrypted-pass.docx', 'poi-truncated.docx'];
const IDENTIFIER = /«\s*([A-Za-z_]\w*(?:\.\w+)*)\s*»/g;

/** Values say which field they are of; switches change the case of some. */
const valueFor = (name: string): string => `‹${name.trim().replace(/\s+/g, ' ').toLowerCase()}›`;

const textOf = (stretches: readonly Stretch[]): string =>
  stretches.map(({ text }) => text).join('');

/** The text that a paragraph has once its markers are filled, in small letters. */
const filled = (text: string): string =>
  text
    .replace(/\{\{([^{}]*)\}\}/g, (marker, name: string) =>
      isName(name.trim()) ? valueFor(name) : marker,
    )
    .replace(IDENTIFIER, (_marker, name: string) => valueFor(name))
    .toLowerCase();

/** The formats at the values, by the names of their fields. */
function formatsOfValues(paragraphs: readonly Stretch[][]): string[] {
  return paragraphs.flatMap((stretches) =>
    [...textOf(stretches).matchAll(/‹([^›]*)›/g)].map(({ 1: name = '', index }) => {
      let end = 0;
      const at = stretches.find(({ text }) => {
        end += text.length;
        return end > index;
      });
      return `${name} ${at?.format ?? ''}`.toLowerCase();
    }),
  );
}

interface Pair {
  readonly file: string;
  readonly before: ReadonlyMap<string, Stretch[][]>;
  readonly after: ReadonlyMap<string, Stretch[][]>;
}

async function render(file: string): Promise<Pair> {
  const original = readFixture(file);
  const { pkg, inspection } = normaliseDocx(await openDocx(original));
  const data = Object.fromEntries(inspection.fields.map(({ name }) => [name, valueFor(name)]));
  const { file: output } = await renderFile(writeDocx(pkg), data);
  return { file, before: readParagraphs(original), after: readParagraphs(output) };
}

describe('renderDocx on documents of others', () => {
  const pairs: Pair[] = [];

  beforeAll(async () => {
    const files = (docxFixtures() ?? []).map(({ file }) => file);
    for (const file of files) if (!REFUSED.includes(file)) pairs.push(await render(file));
  });

  it('puts the values in the places of the markers and changes no other text', () => {
    for (const { file, before, after } of pairs) {
      expect([...after.keys()].sort(), file).toEqual([...before.keys()].sort());
      for (const [part, paragraphs] of before) {
        const now = alike(after.get(part) ?? []).map((text) => text.toLowerCase());
        expect(now, `${file} ${part}`).toEqual(alike(paragraphs).map(filled));
      }
    }
  });

  it('gives the values the formats of their markers', () => {
    const parts = pairs.flatMap(({ file, before, after }) =>
      [...before].map(([part, paragraphs]) => ({
        place: `${file} ${part}`,
        wanted: formatsOfMarkers(paragraphs)
          .map((line) => line.toLowerCase())
          .filter(isOfField),
        found: formatsOfValues(after.get(part) ?? []),
      })),
    );

    for (const { place, wanted, found } of parts)
      expect(found, place).toEqual(expect.arrayContaining(wanted));
    const count = parts.reduce((sum, { wanted }) => sum + wanted.length, 0);
    // The documents are not there on a clone alone.
    expect(pairs.length === 0 || count > 200).toBe(true);
  });
});

const isOfField = (line: string): boolean => isName(line.slice(0, line.indexOf(' ')));
