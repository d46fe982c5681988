import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openDocx } from '../../../../shared/docx/index.ts';
import { allHostileFiles, markersElsewhere } from '../../../helpers/docx/hostile/all-files.ts';
import { hostileArchives } from '../../../helpers/docx/hostile/archives.ts';
import { hostileMacros } from '../../../helpers/docx/hostile/macros.ts';
import { documentWithOutside } from '../../../helpers/docx/hostile/outside.ts';
import { hostileParts } from '../../../helpers/docx/hostile/parts.ts';
import { aListener } from '../../../helpers/templates/listener.ts';
import { temporaryFolder } from '../../lib/synthesise.ts';
import { aGenerationsApi } from '../generations/generations-api.ts';
import { aTemplatesApi } from '../templates-api.ts';

const PROGRAM = new URL('../../../helpers/docx/hostile/read-files.ts', import.meta.url);
interface Read {
  readonly outcome: string;
  readonly maxRss: number;
}

/** What became of files in a process of its own, which takes them as an upload does. */
function readAll(files: readonly Uint8Array[]): Read[] {
  const folder = temporaryFolder();
  const paths = files.map((bytes, index) => {
    const path = join(folder, String(index));
    writeFileSync(path, bytes);
    return path;
  });
  const said = execFileSync(process.execPath, [fileURLToPath(PROGRAM), ...paths], {
    encoding: 'utf8',
  });
  return said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('rows 1 to 3 of the list: archives, XML and macros', () => {
  it('are refused by a code of their own in less than 256 MiB', () => {
    const list = Object.values(allHostileFiles()).flat();

    const read = readAll(list.map(([, bytes]) => bytes));

    const outcomes = read.map(({ outcome }, index) => [list[index]?.[0], outcome]);
    expect(outcomes).toEqual(list.map(([what, , code]) => [what, code]));
    expect(Math.max(...read.map(({ maxRss }) => maxRss))).toBeLessThan(256 * 1_024);
  });

  it.each([
    ['macros', hostileMacros()[2], 422, 'MACROS_NOT_ALLOWED'],
    ['entities', hostileParts()[1], 422, 'INVALID_DOCX'],
    ['another kind of file', hostileArchives()[1], 415, 'UNSUPPORTED_FILE_TYPE'],
  ])('are answered by a problem, and nothing is stored: %s', async (_, file, status, code) => {
    const api = aTemplatesApi();
    const id = await api.aTemplate();

    const answer = await api.upload(id, file?.[1] ?? Buffer.alloc(0));

    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(api.storage.files.size).toBe(0);
  });

  it('counts no marker in attributes, comments or instructions of the XML', async () => {
    const api = aTemplatesApi();
    const id = await api.aTemplate();

    const { body } = await api.upload(id, markersElsewhere());

    expect(body.fields).toMatchObject([{ name: 'cdata' }]);
  });
});

describe('row 4: what a document takes in from elsewhere', () => {
  it('is neither kept nor asked for, by upload, Word file or page', async () => {
    const listener = await aListener();
    const world = await aGenerationsApi();
    const uploaded = await world.api.upload(world.templateId, documentWithOutside(listener.url));

    for (const outputFormat of ['DOCX', 'HTML']) {
      expect((await world.generate({ outputFormat })).status).toBe(201);
    }

    expect(uploaded.body.warnings).toContainEqual({
      code: 'EXTERNAL_RESOURCE_REMOVED',
      part: 'word/settings.xml',
    });
    const stored = [...world.storage.files].filter(([path]) => !path.includes('/1-'));
    for (const [, bytes] of stored)
      expect(await everything(bytes)).not.toMatch(/127\.0\.0\.1:\d+\/(?!hyperlink)|passwd|share/);
    expect(await listener.end()).toEqual([]);
  });
});

/** The texts of all parts of a Word file, or the page. */
async function everything(bytes: Uint8Array): Promise<string> {
  if (bytes[0] !== 0x50) return Buffer.from(bytes).toString();
  const { entries } = await openDocx(bytes);
  return [...entries.values()].map((entry) => Buffer.from(entry).toString()).join('\n');
}
