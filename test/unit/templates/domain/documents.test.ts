import { describe, expect, it } from 'vitest';
import type { Generation } from '../../../../functions/templates/domain/documents/generation.ts';
import { completed } from '../../../../functions/templates/domain/documents/generation-changes.ts';

const generation: Generation = {
  ...{ id: 'g', tenant: '', templateId: 't', templateCode: 'c', templateType: 'TYPE_1' },
  ...{ fileVersion: 1, status: 'RENDERING', editStatus: 'NOT_EDITABLE', format: 'PDF' },
  ...{ fileName: 'c.pdf', warningCodes: [], warnings: [], attempt: 1, leaseUntil: 0, version: 2 },
  ...{ createdAt: '', createdBy: 'lan', updatedAt: '' },
};

describe('a generated document', () => {
  it('fits into an item, however many places and warnings it has', () => {
    const at = {
      page: 500,
      x: 100.123_456,
      y: 100.123_456,
      width: 100.123_456,
      height: 60.123_456,
    };
    const places = Array.from({ length: 20_000 }, () => ({ name: 'ạ'.repeat(100), ...at }));
    const message = 'ạ'.repeat(250);
    const warnings = Array.from({ length: 500 }, (_, index) => ({
      ...{ code: 'SWITCH_IGNORED', field: `${'ạ'.repeat(95)}${index}`, message },
      part: `word/${'h'.repeat(245)}`,
    }));
    const output = { path: 'p', contentType: 'application/pdf', sizeBytes: 1, hash: 'h', places };

    const done = completed(generation, { at: '', machineMs: 0 }, output, warnings);

    expect(Buffer.byteLength(JSON.stringify(done))).toBeLessThan(390_000);
    expect(done.output?.places).toHaveLength(500);
    expect(done.warningCodes).toEqual(['SWITCH_IGNORED', 'VALUE_TRUNCATED']);
  });
});
