import { makeDocx } from '../../helpers/docx/make-docx.ts';

/** A document of 1 MB that hardly shrinks, another one in each round. */
export function aDocument(round: number): Buffer {
  const paragraphs = Array.from(
    { length: 300 },
    (_, at) => `<w:p><w:r><w:t>Điều ${at}, lần ${round}: {{ho_ten}} đã ký.</w:t></w:r></w:p>`,
  );
  let noise = 1;
  const image = new Uint8Array(1_000_000).map(() => {
    noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) >>> 0;
    return noise >>> 24;
  });
  return makeDocx({ body: paragraphs.join(''), entries: { 'word/media/image1.png': image } });
}
