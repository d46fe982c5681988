import { escapeHtml, type HtmlContext, type PartLinks } from './part-context.ts';
import { child, elementsOf, find, type XmlNode } from './xml-tree.ts';

/** English Metric Units in a point. */
const EMU = 12_700;
const VML_SIZE = /(?:^|;)\s*(width|height)\s*:\s*([\d.]+)(pt|in|cm|mm|px)/gi;

/** Content of a drawing. */
export interface Drawing {
  readonly html: string;
  /** Contents of text boxes, which follow the paragraph. */
  readonly boxes: readonly XmlNode[];
}

/** A drawing (w:drawing) or a picture of older files (w:pict, w:object). */
export function writeDrawing(node: XmlNode, context: HtmlContext, links: PartLinks): Drawing {
  const boxes = boxesIn(node);
  const images = imagesIn(node).map((image) => {
    const source = links.image(image.attributes.get('r:embed') ?? image.attributes.get('r:id'));
    if (source === undefined) {
      context.leavesOut();
      return '';
    }
    const text = escapeHtml(find(node, 'wp:docPr')?.attributes.get('descr') ?? '');
    const shown = `<img src="${source}" alt="${text}"${sizeOf(node)}>`;
    const place = links.place(find(node, 'a:hlinkClick')?.attributes.get('r:id'));
    return place === undefined
      ? shown
      : `<a class="place" href="${escapeHtml(place)}">${shown}</a>`;
  });
  if (boxes.length === 0 && images.length === 0 && find(node, 'a:graphicData')) context.leavesOut();
  return { html: images.join(''), boxes };
}

/** Text boxes, of the newer copy where there are two. */
function boxesIn(node: XmlNode): readonly XmlNode[] {
  return elementsOf(node).flatMap((each) => {
    if (each.name === 'w:txbxContent') return [each];
    return boxesIn(each.name === 'mc:AlternateContent' ? chosen(each) : each);
  });
}

function imagesIn(node: XmlNode): readonly XmlNode[] {
  return elementsOf(node).flatMap((each) => {
    if (each.name === 'w:txbxContent') return [];
    if (each.name === 'a:blip' || each.name === 'v:imagedata') return [each];
    return imagesIn(each.name === 'mc:AlternateContent' ? chosen(each) : each);
  });
}

/** The copy that is shown: the first choice with content, else the fallback. */
export function chosen(alternatives: XmlNode): XmlNode {
  const choices = elementsOf(alternatives).filter(({ name }) => name === 'mc:Choice');
  const choice = choices.find((each) => elementsOf(each).length > 0);
  return choice ?? child(alternatives, 'mc:Fallback') ?? alternatives;
}

function sizeOf(node: XmlNode): string {
  const extent = find(node, 'wp:extent')?.attributes;
  const [width, height] = [Number(extent?.get('cx')) / EMU, Number(extent?.get('cy')) / EMU];
  if (width > 0 && height > 0) {
    return ` style="width:${Math.round(width)}pt;height:${Math.round(height)}pt"`;
  }
  const style = find(node, 'v:shape')?.attributes.get('style') ?? '';
  const sizes = [...style.matchAll(VML_SIZE)].map(
    ([, name = '', value = '', unit = '']) => `${name.toLowerCase()}:${Number(value)}${unit}`,
  );
  return sizes.length > 0 ? ` style="${sizes.join(';')}"` : '';
}
