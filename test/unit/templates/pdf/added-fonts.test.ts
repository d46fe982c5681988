import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fontFilesIn } from '../../../../functions/templates/pdf/added-fonts.ts';
import { temporaryFolder } from '../../lib/synthesise.ts';

it('are files in a folder and below: an engine does not start when one of them cannot be read', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'family.ttf'));
  writeFileSync(join(folder, 'family.ttf', 'bold.OTF'), '');
  writeFileSync(join(folder, 'regular.ttf'), '');
  writeFileSync(join(folder, 'licence.txt'), '');
  symlinkSync(join(folder, 'regular.ttf'), join(folder, 'link.ttf'));
  symlinkSync(join(folder, 'nowhere.ttf'), join(folder, 'broken.ttf'));

  expect(fontFilesIn(folder)).toEqual(
    ['family.ttf/bold.OTF', 'link.ttf', 'regular.ttf'].map((name) => join(folder, name)),
  );
  expect(fontFilesIn(join(folder, 'absent'))).toEqual([]);
});
