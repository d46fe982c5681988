import { describe, expect, it } from 'vitest';
import { writeTables } from '../../../bin/dev/docs/regions.ts';
import { eventTable, problemTable } from '../../../bin/dev/docs/tables.ts';
import { writtenDocuments } from '../../../bin/dev/docs.ts';

const documents = await writtenDocuments();

describe('the tables of the documentation', () => {
  it.each(documents)('in $path are those of the code', ({ path, before, after }) => {
    expect(before, `${path} differs from the code: run npm run fix`).toBe(after);
  });

  it('are all there', () => {
    const text = documents.map(({ after }) => after).join('');
    const names = [...text.matchAll(/<!-- table: ([\w-]+) -->/g)].map(([, name]) => name);

    expect(names.sort()).toEqual([
      'endpoints',
      'events',
      'limits',
      'payloads',
      'problems',
      'properties',
    ]);
  });
});

describe('writeTables', () => {
  const place = (inside: string) =>
    `before\n<!-- table: things -->\n${inside}<!-- end of table -->\nafter`;

  it('replaces what a place holds, and only that', () => {
    const written = writeTables(place('old\n'), { things: '| new |' });

    expect(written).toBe(place('\n| new |\n\n'));
    expect(writeTables(written, { things: '| new |' })).toBe(written);
  });

  it('says which table is not known', () => {
    expect(() => writeTables(place(''), {})).toThrow('There is no table named things.');
  });
});

describe('a table', () => {
  it('orders problems by status and code', () => {
    const rows = problemTable([
      { code: 'B', status: 409, title: 'Second' },
      { code: 'C', status: 400, title: 'First' },
      { code: 'A', status: 409, title: 'Between' },
    ]);

    expect(rows.split('\n').slice(2)).toEqual([
      '| C | 400 | First |',
      '| A | 409 | Between |',
      '| B | 409 | Second |',
    ]);
  });

  it('keeps a bar inside its cell', () => {
    const rows = eventTable([
      { topic: 't', key: 'a|b', payload: 'P', meaning: 'it happens', members: {} },
    ]);

    expect(rows).toContain('| `t` | a\\|b | `P` | it happens |');
  });
});
