import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDocx } from '../../../../../shared/docx/index.ts';
import { restoreLockedValues } from '../../../../../shared/docx/locks/restore-locked-values.ts';
import { readPart } from '../../../../helpers/docx/read-output.ts';
import {
  aField,
  cell,
  control,
  p,
  renderBody,
  row,
  run,
  table,
} from '../../../../helpers/docx/render-template.ts';
import { propertyRuns } from '../../../../helpers/property-runs.ts';

const DATA = {
  a: 'A',
  flag: true,
  items: [
    { n: 1, sub: ['x', 'y'] },
    { n: 2, sub: [] },
  ],
  none: [],
};
const FIELDS = [
  aField('a', { lockedInOutput: true }),
  aField('items', { dataType: 'LIST' }),
  aField('ma', { dataType: 'QR' }),
];

const inline = fc.oneof(
  fc
    .constantFrom('a', 'items.n', 'n', 'sub', 'missing', 'pageNumber', 'items')
    .map((name) => control(name)),
  fc
    .constantFrom(
      '{{#items}}',
      '{{/items}}',
      '{{#flag}}',
      '{{/flag}}',
      '{{^none}}',
      '{{/none}}',
      '{{#sub}}',
      '{{/sub}}',
      '{{a',
      '}}',
      'text',
    )
    .map((text) => run(text)),
);
const paragraph = fc.array(inline, { maxLength: 4 }).map((parts) => p(...parts));
const cells = fc.array(fc.array(paragraph, { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 3,
});
const tables = fc
  .array(cells, { minLength: 1, maxLength: 2 })
  .map((rows) => table(...rows.map((list) => row(...list.map((content) => cell(...content))))));
const bodies = fc
  .array(fc.oneof({ weight: 3, arbitrary: paragraph }, tables), { maxLength: 6 })
  .map((blocks) => blocks.join('') + p(run('end')));

describe('any template', () => {
  it('becomes a sound document, whose locks hold', async () => {
    const unused = fc.constantFrom('BLANK', 'KEEP_MARKER', 'REMOVE_PARAGRAPH', 'NAME');
    const locks = fc.constantFrom('TYPE_1', 'TYPE_2', 'TYPE_3');
    await fc.assert(
      fc.asyncProperty(bodies, unused, locks, async (body, option, lockType) => {
        const { file, lockedValues } = await renderBody(body, DATA, {
          fields: FIELDS,
          unused: option,
          lockType,
        });

        const { paragraphs, controls } = readPart(file);
        const ids = controls.map(({ id }) => id);
        expect(paragraphs.at(-1)).toBe('end');
        expect(paragraphs.join('')).not.toMatch(/[\ue000-\uf8ff]|svc:/);
        expect(new Set(ids).size).toBe(ids.length);
        const again = await openDocx(file);
        expect(restoreLockedValues(again, lockedValues)).toEqual({ pkg: again, warnings: [] });
      }),
      { numRuns: propertyRuns(80) },
    );
  });
});
