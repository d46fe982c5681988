import { PDFDocument, PDFName, PDFString } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { MAX_PLACES } from '../../../../functions/templates/domain/documents/generation.ts';
import { MAX_CALL_BYTES } from '../../../../functions/templates/pdf/engine-call.ts';
import { takePlaces } from '../../../../functions/templates/pdf/pdf-places.ts';

const SIDE = 3;
const saving = { useObjectStreams: false, objectsPerTick: Number.POSITIVE_INFINITY };

/** A PDF with as many links as there are names on each of its pages. */
async function aPdf(pages: number, names: readonly string[]): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  for (let number = 0; number < pages; number += 1) {
    const links = names.map((name, at) => {
      const [x, y] = [(at % 140) * (SIDE + 1), Math.floor(at / 140) * (SIDE + 1)];
      const action = { S: 'URI', URI: PDFString.of(`urn:svc-cloud:place:${name}`) };
      const rectangle = [x, y, x + SIDE, y + SIDE];
      return pdf.context.register(
        pdf.context.obj({ Type: 'Annot', Subtype: 'Link', Rect: rectangle, A: action }),
      );
    });
    pdf.addPage([600, 840]).node.set(PDFName.of('Annots'), pdf.context.obj(links));
  }
  return pdf.save(saving);
}

/** What is left of links. */
const linksOf = async (pdf: Uint8Array) =>
  (await PDFDocument.load(pdf)).getPages().map(({ node }) => node.Annots()?.size());

describe('places of a PDF', () => {
  it('are told of up to one more than documents have, in their order; none is left in the file', async () => {
    const names = Array.from({ length: 4_000 }, (_, at) => encodeURIComponent(`Chữ ký ${at}`));

    const { places, pdf } = await takePlaces(await aPdf(2, names));

    expect(places.map(({ name }) => name)).toEqual(
      Array.from({ length: MAX_PLACES + 1 }, (_, at) => `Chữ ký ${at}`),
    );
    expect(await linksOf(pdf)).toEqual([0, 0]);
    expect(Buffer.from(pdf).includes('urn:svc-cloud')).toBe(false);
  });

  it('fit the answer of a function however many there are', async () => {
    const name = encodeURIComponent('ữ'.repeat(100));

    const { places } = await takePlaces(
      await aPdf(
        20,
        Array.from({ length: 800 }, () => name),
      ),
    );

    expect(Buffer.byteLength(JSON.stringify(places))).toBeLessThan(MAX_CALL_BYTES);
  });

  it('have names of fields: other links stay', async () => {
    const { places, pdf } = await takePlaces(await aPdf(1, ['A', '%zz', 'n'.repeat(10_000)]));

    expect(places).toEqual([{ name: 'A', page: 1, x: 0, y: 0, width: SIDE, height: SIDE }]);
    expect(await linksOf(pdf)).toEqual([2]);
  });
});
