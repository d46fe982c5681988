import { describe, expect, it } from 'vitest';
import { editedDocumentsPort } from '../../../../functions/templates/index.ts';
import { openDocx, readXml, withEntries, writeDocx } from '../../../../shared/docx/index.ts';
import { bindPort } from '../../../../shared/module/bind-port.ts';
import { aGenerationsApi, letter, textOf } from '../generations/generations-api.ts';
import { ofTenant, TEMPLATES } from '../templates-api.ts';

/** Text that is markup, code or a marker elsewhere. */
const VALUES = [
  ...['<w:p/>', ']]>', '&#0;', '{{other}}', '[[other]]', '\ue000other\ue001', "=cmd|'/C calc'!A0"],
  ...['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', 'javascript:alert(1)'],
  ...['\u202egnp.exe', 'a\u0000b', '$& $1', '__proto__', 'constructor'],
];

describe('row 5: values', () => {
  it.each(['DOCX', 'HTML'])('stay text in %s, and change no object', async (outputFormat) => {
    const world = await aGenerationsApi({ text: '{{#list}}{{list.x}}|{{/list}}' });
    const list = VALUES.map((x) => ({ x }));
    const entityData = JSON.parse(`{"__proto__":{"bad":1},"list":${JSON.stringify(list)}}`);

    const { status, body } = await world.generate({ outputFormat, entityData });

    expect(status, JSON.stringify(body)).toBe(201);
    const [output = ''] = world.outputs();
    const bytes = world.storage.files.get(output) ?? Buffer.alloc(0);
    if (outputFormat === 'DOCX') {
      expect(textOf(bytes)).toBe(`${VALUES.join('|').replaceAll('\0', '')}|`);
    } else expect(String(bytes)).not.toMatch(/<script|<img|onerror=[^&]*>|href="javascript/i);
    expect(Reflect.get({}, 'bad')).toBeUndefined();
  });

  it.each([
    ['a text of 10 MB', { ho_ten: 'x'.repeat(10_000_000) }],
    ['100,000 rows', { rows: Array.from({ length: 100_000 }, (_, n) => ({ n })) }],
    ['half of a surrogate pair', { ho_ten: 'a\ud800b' }],
    ['1,000 levels', JSON.parse(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`)],
  ])('beyond every limit are refused: %s', async (_, entityData) => {
    const { status } = await (
      await aGenerationsApi({ text: '{{#rows}}{{rows.n}}{{/rows}}' })
    ).generate({
      entityData,
    });

    expect([400, 413, 422]).toContain(status);
  });
});

describe('rows 6 and 10: expressions and what fields may read', () => {
  it.each([
    'constructor.constructor("return 1")()',
    '__proto__.x',
    'x["constructor"]',
    `${'('.repeat(40)}1${')'.repeat(40)}`,
    `${'-'.repeat(50)}1`,
    'self',
    'replace(x, /(a+)+$/, "")',
  ])('are refused before a document is made: %s', async (expression) => {
    const api = await aGenerationsApi();
    const fields = [{ name: 'self', sourceType: 'COMPUTED', expression }];

    const answer = await api.put(`${api.path}/merge-fields`, { fields });

    expect([answer.status, answer.body.code]).toEqual([422, 'MERGE_FIELDS_INVALID']);
  });

  it.each(['setting:security.aes_secret', 'setting:__proto__', 'user.password'])(
    'show nothing that is not listed: %s',
    async (sourceRef) => {
      const api = await aGenerationsApi();
      const fields = [{ name: 'x', sourceType: 'SYSTEM', sourceRef }];

      expect((await api.put(`${api.path}/merge-fields`, { fields })).status).toBe(422);
    },
  );
});

describe('row 7: names', () => {
  it.each([
    '../../x.docx',
    'a\r\nSet-Cookie: b.docx',
    'a".docx',
    `${'x'.repeat(300)}.docx`,
    '\u0430dm\u0456n.docx',
    'CON.docx',
  ])('are data alone: %j', async (fileName) => {
    const world = await aGenerationsApi();

    const uploaded = await world.api.upload(world.templateId, letter('{{a}}'), { fileName });

    expect([200, 400, 422]).toContain(uploaded.status);
    for (const path of world.storage.files.keys()) {
      expect(path).toMatch(
        /^(?:documents\/templates|templates\/inspections)\/[\w-]+\/\d-[\w-]+\.(?:docx|json)$/,
      );
    }
    const made = await world.generate();
    expect(made.body.fileName).toMatch(/^[\w-]+\.docx$/);
  });

  it('of other tenants and other templates are unknown', async () => {
    const world = await aGenerationsApi();
    const { body } = await world.generate({ entityData: { ho_ten: 'An' } });
    const other = await world.api.aTemplate();
    const paths = [
      [`${world.path}/generations/${body.generationId}`, ofTenant('other')],
      [`${TEMPLATES}/${other}/generations/${body.generationId}`, undefined],
      [`${TEMPLATES}/..%2F${world.templateId}/generations`, undefined],
    ] as const;

    for (const [path, caller] of paths) {
      expect([400, 404]).toContain((await world.api.get(path, caller && { caller })).status);
    }
    const mine = { caller: ofTenant('other') };
    expect((await world.finalize(body.generationId, mine)).status).toBe(404);
    expect((await world.cancel(body.generationId, mine)).status).toBe(404);
  });
});

describe('row 9: locked values', () => {
  const CONTROL = /<w:sdt>(?:(?!<w:sdt>).)*?<\/w:sdt>/s;

  it.each<[string, (xml: string) => string, string, string]>([
    ['edited', (xml) => xml.replace('>An<', '>Eve<'), 'Dear An', 'LOCKED_FIELD_MODIFIED'],
    ['deleted', (xml) => xml.replace(CONTROL, ''), 'Dear ', 'LOCKED_FIELD_MISSING'],
    [
      'doubled with another value',
      (xml) => xml.replace(CONTROL, (one) => one + one.replace('>An<', '>Eve<')),
      'Dear AnAn',
      'LOCKED_FIELD_MODIFIED',
    ],
    [
      'without their tag and lock',
      (xml) => xml.replace(/<w:(?:tag|lock) [^>]*>/g, '').replace('>An<', '>Eve<'),
      'Dear An',
      'LOCKED_FIELD_MODIFIED',
    ],
  ])('come back after an edit: %s', async (_, edit, text, code) => {
    const world = await aGenerationsApi({
      fields: [{ name: 'ho_ten', sourceType: 'ENTITY', lockedInOutput: true }],
    });
    await world.generate({ entityData: { ho_ten: 'An' } });
    const [fileId = ''] = world.outputs();
    const pkg = await openDocx(world.storage.files.get(fileId) ?? Buffer.alloc(0));
    const main = 'word/document.xml';
    const bytes = writeDocx(withEntries(pkg, new Map([[main, edit(readXml(pkg, main))]])));
    const edits = bindPort(editedDocumentsPort, world.context).use();

    const saved = await world.context.unitOfWork((unit) =>
      edits.save(unit, { fileId, content: bytes, userId: 'lan', isTerminal: true }),
    );

    expect(saved).toMatchObject({ warningCodes: [code] });
    expect(textOf(world.storage.files.get(fileId))).toBe(text);
  });
});
