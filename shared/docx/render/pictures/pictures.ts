import { imageSize } from 'image-size';
import { encodeXml } from '../../xml/character-data.ts';
import type { Picture } from '../fill/fill-values.ts';
import type { MakeCode } from './codes.ts';

/** A picture as it is stored in a package. */
export interface MadePicture {
  readonly bytes: Uint8Array;
  readonly extension: 'png' | 'jpeg' | 'gif';
  readonly widthEmu: number;
  readonly heightEmu: number;
  readonly description: string;
  /** Address of the link around it. */
  readonly link?: string;
}

const EMU_PER_MM = 36_000;
const EMU_PER_PIXEL = 9_525;
/** The text of a page in portrait. */
const MAX_WIDTH_EMU = 160 * EMU_PER_MM;
const MAX_BYTES = 8 * 2 ** 20;
const MAX_PIXELS = 50_000_000;
/** A transparent pixel. */
const NOTHING = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const DEFAULT_PLACE = { width: 60, height: 25 };
const EXTENSIONS = { png: 'png', jpg: 'jpeg', gif: 'gif' } as const;

/**
 * Makes what is put into the document for a picture; `undefined` for an image of an unknown kind, or one that is too
 * large, and for a text that a barcode cannot hold.
 * @param marksPlaces places are linked with `urn:svc-cloud:place:<name>`, so that they are found in a printed document
 */
export async function makePicture(
  picture: Picture,
  marksPlaces: boolean,
  makeCode: MakeCode,
): Promise<MadePicture | undefined> {
  if (picture.kind === 'image') {
    const bytes = await picture.read();
    return bytes && ofImage(bytes, picture);
  }
  if (picture.kind === 'code') {
    const bytes = await makeCode(picture);
    return bytes && ofImage(bytes, { ...picture, description: picture.text });
  }
  return {
    bytes: NOTHING,
    extension: 'png',
    widthEmu: emu(picture.widthMm ?? DEFAULT_PLACE.width),
    heightEmu: emu(picture.heightMm ?? DEFAULT_PLACE.height),
    description: picture.name,
    ...(marksPlaces ? { link: `urn:svc-cloud:place:${encodeURIComponent(picture.name)}` } : {}),
  };
}

interface Wanted {
  readonly widthMm?: number | undefined;
  readonly heightMm?: number | undefined;
  readonly description: string;
}

function ofImage(
  bytes: Uint8Array,
  { widthMm, heightMm, description }: Wanted,
): MadePicture | undefined {
  const found = bytes.length <= MAX_BYTES ? measure(bytes) : undefined;
  if (found === undefined) return undefined;
  const { extension, width, height } = found;
  const ratio = height / width;
  const natural = Math.min(width * EMU_PER_PIXEL, MAX_WIDTH_EMU);
  const wide =
    widthMm === undefined
      ? heightMm === undefined
        ? natural
        : emu(heightMm) / ratio
      : emu(widthMm);
  const high = heightMm === undefined ? wide * ratio : emu(heightMm);
  return { bytes, extension, widthEmu: Math.round(wide), heightEmu: Math.round(high), description };
}

function measure(
  bytes: Uint8Array,
): { extension: MadePicture['extension']; width: number; height: number } | undefined {
  try {
    const { type = '', width, height } = imageSize(bytes);
    const extension = Object.entries(EXTENSIONS).find(([kind]) => kind === type)?.[1];
    const isSound = width > 0 && height > 0 && width * height <= MAX_PIXELS;
    return extension && isSound ? { extension, width, height } : undefined;
  } catch {
    return undefined;
  }
}

const emu = (millimetres: number): number => Math.round(millimetres * EMU_PER_MM);

const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A picture in the line of text. The ids are those of relationships, and the number that of the drawing. */
export function drawingXml(
  { widthEmu, heightEmu, description }: MadePicture,
  ids: { readonly image: string; readonly link: string | undefined; readonly number: number },
  prefix: string,
): string {
  const extent = `cx="${widthEmu}" cy="${heightEmu}"`;
  const text = encodeXml(description.slice(0, 200));
  const link = ids.link
    ? `<a:hlinkClick xmlns:a="${DRAWING}/main" xmlns:r="${RELATIONSHIPS}" r:id="${ids.link}"/>`
    : '';
  return (
    `<${prefix}drawing><wp:inline xmlns:wp="${DRAWING}/wordprocessingDrawing" distT="0" distB="0" distL="0" distR="0">` +
    `<wp:extent ${extent}/><wp:docPr id="${ids.number}" name="Picture ${ids.number}" descr="${text}">${link}</wp:docPr>` +
    `<a:graphic xmlns:a="${DRAWING}/main"><a:graphicData uri="${DRAWING}/picture">` +
    `<pic:pic xmlns:pic="${DRAWING}/picture"><pic:nvPicPr><pic:cNvPr id="${ids.number}" name="Picture ${ids.number}"/>` +
    `<pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip xmlns:r="${RELATIONSHIPS}" r:embed="${ids.image}"/>` +
    '<a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/>' +
    `<a:ext ${extent}/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>` +
    `</a:graphicData></a:graphic></wp:inline></${prefix}drawing>`
  );
}
