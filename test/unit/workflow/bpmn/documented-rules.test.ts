import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const CODES = /(?:\badd|refusal)\(\s*'([A-Z_]+)'/g;

describe('the rules for processes', () => {
  it('are all in the guide', () => {
    const sources = globSync('functions/workflow/domain/bpmn/compile/*.ts');
    const codes = sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(CODES)].map(([, code]) => code),
    );
    const guide = readFileSync('docs/bpmn.md', 'utf8');

    expect(codes.length).toBeGreaterThan(30);
    expect(codes.filter((code) => !guide.includes(`\`${code}\``))).toEqual([]);
  });
});
