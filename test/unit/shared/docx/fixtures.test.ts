import { describe, expect, it } from 'vitest';
import { describeDocx } from '../../../../bin/dev/docx/inspect.ts';
import { normaliseDocx, openDocx, writeDocx } from '../../../../shared/docx/index.ts';
import {
  docxFixtures,
  type Fact,
  type FixtureFacts,
  readFixture,
} from '../../../helpers/docx/fixture-folder.ts';
import {
  alike,
  formatsOfMarkers,
  readParagraphs,
  type Stretch,
} from '../../../helpers/docx/independent-reader.ts';

const KINDS = {
  fldSimple: 'MERGEFIELD',
  fldChar: 'MERGEFIELD',
  mustache: 'MUSTACHE',
  bracket: 'BRACKET',
  guillemet: 'GUILLEMET',
};
const STORIES: Readonly<Record<string, string>> = {
  header: 'HEADER',
  footer: 'FOOTER',
  footnotes: 'FOOTNOTE',
  endnotes: 'ENDNOTE',
};
const REFUSED: Readonly<Record<string, string>> = {
  'poi-simple-macro.docm': 'MACROS_NOT_ALLOWED',
  'poi-encrypted-pass.docx': 'ENCRYPTED_DOCX',
  'poi-truncated.docx': 'INVALID_DOCX',
};
interface Inspected {
  readonly refused?: string;
  readonly fields: readonly {
    readonly kind: string;
    readonly name: string;
    readonly valid: boolean;
    readonly part: string;
    readonly location: string;
    readonly count: number;
  }[];
  readonly unclosed: readonly { readonly part: string; readonly paragraph: number }[];
}

async function inspect(file: string): Promise<Inspected> {
  return JSON.parse(JSON.stringify(await describeDocx(file, readFixture(file))));
}

function locationOf({ where }: Fact): string {
  const [story = '', ...inside] = where.split('/');
  const place = inside.includes('table') ? 'TABLE' : 'BODY';
  return STORIES[story] ?? (inside.includes('textbox') ? 'TEXT_BOX' : place);
}

type Counted = Pick<Inspected['fields'][number], 'kind' | 'name' | 'part' | 'location' | 'count'>;

/** Sums by what is the same. */
function tally(fields: readonly Counted[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { kind, name, part, location, count } of fields) {
    const key = [kind, name.trim().replace(/\s+/g, ' '), part, location].join(' | ');
    sums[key] = (sums[key] ?? 0) + count;
  }
  return sums;
}

const fromFacts = ({ fields = [] }: FixtureFacts, valid: boolean): Fact[] =>
  fields.filter((fact) => fact.valid === valid && !fact.inFallback);

const toCounted = (fact: Fact): Counted => ({
  ...fact,
  kind: KINDS[fact.kind],
  location: locationOf(fact),
});

/** Whether a marker begins in a paragraph and does not end there. */
function beginsOnly(stretches: readonly Stretch[]): boolean {
  const text = stretches.map((stretch) => stretch.text).join('');
  return /\{\{|\[\[/.test(text.replace(/\{\{[^{}]*\}\}|\[\[[^[\]]*\]\]/g, ''));
}

/** Prose between guillemets and empty braces, which are counted there and are no markers here. */
const isProse = ({ kind, name }: Fact): boolean => kind === 'guillemet' || name.trim() === '';

describe('docx:inspect on documents of others', () => {
  it('agrees with an independent counter', async () => {
    for (const facts of docxFixtures() ?? []) {
      const { file } = facts;
      const { refused, fields } = await inspect(file);
      expect(refused, file).toBe(REFUSED[file]);
      if (refused) continue;
      const found = (valid: boolean) => tally(fields.filter((field) => field.valid === valid));
      expect(found(true), file).toEqual(tally(fromFacts(facts, true).map(toCounted)));
      const invalid = fromFacts(facts, false).filter((fact) => !isProse(fact));
      expect(found(false), file).toEqual(tally(invalid.map(toCounted)));
    }
  });

  it('leaves out only what the XML shows to be prose', async () => {
    for (const facts of docxFixtures() ?? []) {
      const prose = fromFacts(facts, false).filter(isProse);
      if (prose.length === 0) continue;
      const texts = [...readParagraphs(readFixture(facts.file)).values()].flatMap((paragraphs) =>
        paragraphs.map((stretches) => stretches.map(({ text }) => text).join('')),
      );
      for (const { name, kind } of prose) {
        const marker = kind === 'guillemet' ? `«${name}»` : `{{${name}}}`;
        expect(
          texts.some((text) => text.includes(marker)),
          marker,
        ).toBe(true);
        expect(name).not.toMatch(/^[A-Za-z_][\w.]*$/);
      }
    }
  });

  it('names the paragraphs in which a marker does not end', async () => {
    for (const { file } of docxFixtures() ?? []) {
      if (REFUSED[file]) continue;
      const { unclosed } = await inspect(file);
      const shown = [...readParagraphs(readFixture(file))].flatMap(([part, paragraphs]) =>
        paragraphs.filter(beginsOnly).map(() => part),
      );
      expect(unclosed.map(({ part }) => part).sort(), file).toEqual(shown.sort());
      if (file === 'poitl-running-run.docx')
        expect(unclosed).toEqual([{ part: 'word/document.xml', paragraph: 10 }]);
    }
  });
});

describe('normaliseDocx on documents of others', () => {
  it('changes nothing but markers, keeps their format and is done after one time', async () => {
    for (const { file } of docxFixtures() ?? []) {
      if (REFUSED[file]) continue;
      const original = readFixture(file);
      const normalised = writeDocx(normaliseDocx(await openDocx(original)).pkg);
      const again = writeDocx(normaliseDocx(await openDocx(normalised)).pkg);
      expect(again.equals(normalised), file).toBe(true);
      const [before, after] = [readParagraphs(original), readParagraphs(normalised)];
      expect([...after.keys()].sort(), file).toEqual([...before.keys()].sort());
      for (const [part, paragraphs] of before) {
        const now = after.get(part) ?? [];
        expect(alike(now), `${file} ${part}`).toEqual(alike(paragraphs));
        expect(formatsOfMarkers(now), `${file} ${part}`).toEqual(formatsOfMarkers(paragraphs));
      }
    }
  }, 60_000);
});
