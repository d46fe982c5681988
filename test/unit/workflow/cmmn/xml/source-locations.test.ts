import { afterEach, describe, expect, it, vi } from 'vitest';
import { scanSource } from '../../../../../functions/workflow/domain/cmmn/xml/source-locations.ts';

const elements = (count: number, after = ''): string =>
  `<definitions>${Array.from({ length: count }, (_, n) => `<task id="t${n}"/>${after}`).join('')}</definitions>`;

describe('scanning a text for the places of ids', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** How often a scan looks for the end of a line. */
  function searchesIn(xml: string): number {
    const search = vi.spyOn(String.prototype, 'indexOf');
    scanSource(xml);
    return search.mock.calls.filter(([wanted]) => wanted === '\n').length;
  }

  it('finds lines and columns', () => {
    const { byId } = scanSource(elements(3, '\n '));

    expect(byId.get('t0')).toMatchObject({ line: 1, column: 14 });
    expect(byId.get('t2')).toMatchObject({ line: 3, column: 2 });
  });

  it('goes through a text of one line once', () => {
    expect(searchesIn(elements(100))).toBe(1);
  });

  it('goes through each line of a text once', () => {
    expect(searchesIn(elements(100, '\n'))).toBe(100);
  });
});
