import { describe, expect, it } from 'vitest';
import { ApprovedDocuments } from '../../../../functions/templates/approved/approved-documents.ts';
import { writeApprovedDocx } from '../../../../functions/templates/approved/write-approved-docx.ts';
import { approvalHashOf, documentsPort } from '../../../../functions/templates/index.ts';
import { writeDocx } from '../../../../shared/docx/index.ts';
import { createFiles } from '../../../../shared/files/create-files.ts';
import { bindPort } from '../../../../shared/module/bind-port.ts';
import type { ApprovedBlock, ApprovedContent } from '../../../../shared/ports/templates.ts';
import { principalOf } from '../../../helpers/api/principals.ts';
import { admin } from '../../../helpers/api/test-tokens.ts';
import { textOf } from '../generations/generations-api.ts';
import { aTemplatesApi } from '../templates-api.ts';

const demo = principalOf(admin);
const blocks: readonly ApprovedBlock[] = [
  { kind: 'heading', level: 1, text: 'Quyết định' },
  {
    kind: 'paragraph',
    align: 'justify',
    runs: [{ text: 'Kính gửi {{ho_ten}} & ' }, { text: '<w:p/>', bold: true, underline: true }],
  },
  { kind: 'list', isOrdered: true, items: ['Một', 'Hai'] },
  { kind: 'list', isOrdered: false, items: ['Ba'] },
  { kind: 'page-break' },
  { kind: 'table', hasHeader: true, rows: [['Tên', 'Số'], ['An']] },
];
const content = {
  ...{ title: 'Quyết định 1', blocks, approvedBy: 'lan' },
  approvedAt: '2026-03-01T09:30:00Z',
};
const approved = (more: object = {}): ApprovedContent => ({
  ...{ ...content, outputFormat: 'DOCX', approvalHash: approvalHashOf(content) },
  ...more,
});

function aWorld() {
  const api = aTemplatesApi();
  return { ...api, documents: bindPort(documentsPort, api.context).use() };
}

/** What prints by an engine that makes what a test says. */
function aPrintingWorld(pdf: () => string) {
  const printed: unknown[] = [];
  const { context, storage } = aWorld();
  const { files } = createFiles(context, {
    path: '/api/v1/files',
    keyPrefix: 'TPLLINK',
    baseUrl: () => 'https://example.org',
  });
  const service = new ApprovedDocuments({
    files,
    printer: {
      print: async (path, pkg, settings) => {
        printed.push(path, textOf(writeDocx(pkg)).split('\n')[0], settings);
        const facts = { contentType: 'application/pdf', sizeBytes: 7, hash: 'ab' };
        await files.write(path, Buffer.from(pdf()), facts.contentType);
        return { ...facts, places: [], warnings: [] };
      },
    },
    linkSeconds: 60,
  });
  return { service, storage, printed };
}

describe('renderApprovedContent', () => {
  it('writes what was approved, and expands nothing in it', async () => {
    const { documents, storage } = aWorld();

    const made = await documents.renderApprovedContent(approved(), demo);

    expect(made).toMatchObject({
      ...{
        status: 'FINALIZED',
        editStatus: 'LOCKED',
        format: 'DOCX',
        fileName: 'Quyết định 1.docx',
      },
      ...{ approvedBy: 'lan', approvedAt: '2026-03-01T09:30:00.000Z' },
      approvalHash: approvalHashOf(content),
    });
    expect(textOf(storage.files.get(made.path)).split('\n')).toEqual([
      ...['Quyết định', 'Kính gửi {{ho_ten}} & <w:p/>', 'Một', 'Hai', 'Ba', ''],
      ...['Tên', 'Số', 'An', ''],
    ]);
  });

  it('writes one document however often it is called, and another for another tenant', async () => {
    const { documents, storage } = aWorld();

    const made = await Promise.all(
      [1, 2].map(() => documents.renderApprovedContent(approved(), demo)),
    );
    const other = await documents.renderApprovedContent(approved(), { ...demo, tenant: 'north' });

    expect(made[1]?.outputHash).toBe(made[0]?.outputHash);
    expect(made[1]?.path).toBe(made[0]?.path);
    expect(storage.files.size).toBe(2);
    expect(other.path).not.toBe(made[0]?.path);
  });

  it('is dated as it was approved', async () => {
    const { entries } = await writeApprovedDocx(content);

    const core = Buffer.from(entries.get('docProps/core.xml') ?? '').toString();
    expect(core.match(/2026-03-01T09:30:00\.000Z/g)).toHaveLength(2);
    expect(core).toContain('<dc:creator>lan</dc:creator>');
  });

  it.each([
    [{ approvalHash: 'x' }, { status: 422, code: 'APPROVAL_HASH_MISMATCH' }],
    [{ title: 'Another' }, { status: 422, code: 'APPROVAL_HASH_MISMATCH' }],
    [{ outputFormat: 'HTML' }, { status: 422, code: 'OUTPUT_FORMAT_NOT_SUPPORTED' }],
    [{ blocks: [] }, { status: 400, code: 'VALIDATION_FAILED' }],
    [{ blocks: [{ kind: 'heading', level: 1, text: 'a\u0000' }] }, { status: 400 }],
    [{ approvedAt: 'yesterday' }, { status: 400 }],
  ])('refuses %j', async (more, problem) => {
    const { documents, storage } = aWorld();

    const call = documents.renderApprovedContent(approved(more), demo);

    await expect(call).rejects.toMatchObject(problem);
    expect(storage.files.size).toBe(0);
  });

  it('makes large tables, whose cells are much alike', async () => {
    const { documents, storage } = aWorld();
    const rows = Array.from({ length: 200 }, () => Array<string>(30).fill(''));
    const blocks: ApprovedBlock[] = [{ kind: 'table', hasHeader: false, rows }];
    const approvalHash = approvalHashOf({ ...content, blocks });

    const made = await documents.renderApprovedContent(approved({ blocks, approvalHash }), demo);

    expect(storage.files.has(made.path)).toBe(true);
  });

  it('refuses what makes a larger document than there may be', async () => {
    const { documents, storage } = aWorld();
    const text = 'x'.repeat(20_000);
    const runs = Array.from({ length: 900 }, () => ({ text }));
    const paragraph: ApprovedBlock = { kind: 'paragraph', runs };
    const blocks = [paragraph, paragraph];
    const approvalHash = approvalHashOf({ ...content, blocks });

    const call = documents.renderApprovedContent(approved({ blocks, approvalHash }), demo);

    await expect(call).rejects.toMatchObject({ status: 422, code: 'DOCX_TOO_COMPLEX' });
    expect(storage.files.size).toBe(0);
  });

  it('stays as it was written first, whatever another engine makes of it', async () => {
    let engine = 'first';
    const { service, storage } = aPrintingWorld(() => `%PDF-1.7 ${engine}`);
    const order = approved({ outputFormat: 'PDF' });
    const made = await service.render(order, demo);
    engine = 'second';

    const again = await service.render(order, demo);

    expect(again.outputHash).toBe(made.outputHash);
    expect(String(storage.files.get(made.path))).toBe('%PDF-1.7 first');
  });

  it('is printed by the engine of PDFs', async () => {
    const { service, storage, printed } = aPrintingWorld(() => '%PDF-1.7');

    const order = approved({ outputFormat: 'PDF' });
    const [made, again] = await Promise.all([1, 2].map(() => service.render(order, demo)));

    expect(made).toMatchObject({ format: 'PDF', fileName: 'Quyết định 1.pdf' });
    expect(again).toMatchObject({ path: made?.path, outputHash: made?.outputHash });
    expect([...storage.files.keys()]).toEqual([made?.path]);
    const [place, ...facts] = printed.slice(0, 3);
    expect(place).toMatch(/^documents\/previews\/approved\/[-0-9a-f]{36}\.pdf$/);
    expect(facts).toMatchObject([
      'Quyết định',
      { title: 'Quyết định 1', nowMs: Date.parse('2026-03-01T09:30:00Z') },
    ]);
    expect(printed[3]).not.toBe(place);
  });
});

it('approvalHashOf does not depend on the order of members', () => {
  const [first] = blocks;
  const turned = first && Object.fromEntries(Object.entries(first).reverse());

  const hash = approvalHashOf({ title: 'a', blocks: [turned as ApprovedBlock] });

  expect(hash).toBe(approvalHashOf({ blocks: first ? [first] : [], title: 'a' }));
});
