import { describe, expect, it } from 'vitest';
import { templateSection } from '../../../../functions/templates/configuration.ts';
import { pdfEngines } from '../../../../functions/templates/pdf/declaration.ts';
import { commonSections, loadConfig } from '../../../../shared/config/index.ts';

const configOf = (template: object) =>
  loadConfig({ template }, { sections: [...commonSections, templateSection], stage: 'prod' });

describe('the functions that print', () => {
  it.each([
    [{}, ['pdf-libreoffice']],
    [{ 'pdf-converter': 'chromium' }, ['pdf-chromium']],
    [{ 'pdf-converter': 'none' }, []],
  ])('are those of the configured engine: %j', (template, expected) => {
    const config = configOf(template);

    expect(pdfEngines.filter(({ enabled }) => enabled(config)).map(({ name }) => name)).toEqual(
      expected,
    );
  });

  it.each([
    [{}, 'local', 2],
    [{}, 'prod', undefined],
    [{ 'pdf-concurrency': 10 }, 'prod', 10],
    [{ 'pdf-concurrency': '1' }, 'local', 1],
  ])('run at once as often as %j says on the stage %s', (template, stage, expected) => {
    const config = configOf(template);

    for (const engine of pdfEngines) {
      expect(engine.reservedConcurrencyFor(config, stage)).toBe(expected);
    }
  });

  it('run where their binaries do', () => {
    const places = pdfEngines.map(({ name, ...engine }) => [
      name,
      'architecture' in engine ? engine.architecture : 'arm64',
    ]);

    expect(places).toEqual([
      ['pdf-libreoffice', 'arm64'],
      ['pdf-chromium', 'x86_64'],
    ]);
  });

  it('fit into Lambda', () => {
    for (const { memoryMb } of pdfEngines) expect(memoryMb).toBeLessThanOrEqual(3_008);
  });
});
