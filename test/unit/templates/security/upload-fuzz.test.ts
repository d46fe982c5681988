import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { docxFixtures, readFixture } from '../../../helpers/docx/fixture-folder.ts';
import { documentWithOutside } from '../../../helpers/docx/hostile/outside.ts';
import { zipped } from '../../../helpers/docx/make-docx.ts';
import { propertyRuns } from '../../../helpers/property-runs.ts';
import { aGenerationsApi } from '../generations/generations-api.ts';

/** Larger documents would spend the time of the test in reading, not in changes. */
const MAX_BYTES = 40_000;
const PART = /^(?:\[Content_Types\]|_rels\/|word\/).*(?:xml|rels)$/;

const sources: readonly Uint8Array[] = [
  documentWithOutside('http://127.0.0.1:1'),
  ...(docxFixtures() ?? [])
    .map(({ file }) => readFixture(file))
    .filter((bytes) => bytes.length < MAX_BYTES && bytes[0] === 0x50),
];
/** Those whose archive can be read. */
const archives = sources.flatMap((bytes) => {
  try {
    return [unzipSync(bytes)];
  } catch {
    return [];
  }
});

const flipped = fc
  .tuple(fc.constantFrom(...sources), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1 }))
  .map(([source, changes]) => {
    const bytes = Buffer.from(source);
    for (const [at, value] of changes) bytes[at % bytes.length] = value;
    return bytes;
  });

interface Change {
  readonly kind: string;
  readonly at: number;
  readonly other: number;
  readonly value: string;
}

/** What becomes of a tag: it is gone, doubled, in the place of another one, or has another value. */
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('remove', 'double', 'swap', 'value', 'cut'),
  at: fc.nat(),
  other: fc.nat(),
  value: fc.constantFrom(
    '',
    '-1',
    '99999999999',
    'NaN',
    '../../x',
    '{{x}}',
    '&#x0;',
    '\ufffe',
    '"',
  ),
});

function changed(xml: string, { kind, at, other, value }: Change): string {
  const tags = [...xml.matchAll(/<[^?!][^>]*>/g)];
  const [one, two] = [tags[at % tags.length], tags[other % tags.length]];
  if (!one || !two) return value;
  const [before, after] = [xml.slice(0, one.index), xml.slice(one.index + one[0].length)];
  switch (kind) {
    case 'remove':
      return before + after;
    case 'double':
      return before + one[0] + one[0] + after;
    case 'swap':
      return before + two[0] + after;
    case 'value':
      return before + one[0].replace(/="[^"]*"/, () => `="${value}"`) + after;
    default:
      return before;
  }
}

const mutated = fc
  .tuple(
    fc.constantFrom(...archives),
    fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 5 }),
  )
  .map(([archive, changes]) => {
    const entries: Record<string, string | Uint8Array> = { ...archive };
    const parts = Object.keys(entries).filter((name) => PART.test(name));
    for (const [index, each] of changes) {
      const name = parts[index % parts.length] ?? '';
      entries[name] = changed(Buffer.from(entries[name] ?? '').toString(), each);
    }
    return zipped(entries);
  });

describe('any upload', () => {
  it('is taken or refused by a declared problem, and what is taken becomes documents', async () => {
    const world = await aGenerationsApi();
    await fc.assert(
      fc.asyncProperty(fc.oneof(flipped, mutated, mutated), async (bytes) => {
        const { status, body } = await world.api.upload(world.templateId, bytes);

        expect([200, 415, 422], JSON.stringify(body)).toContain(status);
        for (const outputFormat of status === 200 ? ['DOCX', 'HTML'] : []) {
          const made = await world.generate({ outputFormat, entityData: { x: 1 } });
          expect([201, 422], JSON.stringify(made.body)).toContain(made.status);
        }
      }),
      { numRuns: propertyRuns(15) },
    );
  });
});
