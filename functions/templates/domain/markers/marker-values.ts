import type {
  FieldValue,
  ReadImage,
  RenderRequest,
  Shown,
} from '../../../../shared/docx/render/contract/request.ts';
import { fieldKey, type MergeField } from '../fields/field.ts';
import { parseFieldFormat } from '../formats/field-format.ts';
import { formatValue, type ValueFormat } from '../formats/format-value.ts';
import { type FormatSettings, yesNo } from '../formats/locale-defaults.ts';
import { type MarkerFormat, parseMarkerFormat } from '../formats/marker-format.ts';
import { textOf } from '../formats/text-of.ts';
import type { ResolvedValues } from '../sources/resolve-values.ts';
import type { ResolvedValue, RowContext } from '../sources/value-sources.ts';
import { isDecimal } from '../values/decimal.ts';
import { parseCode, parseSize } from './picture-format.ts';

/** How the image is read that a value names; `undefined` for a value that names none. */
export type ImageOf = (value: unknown) => ReadImage | undefined;

type Values = Required<Pick<RenderRequest, 'valueOf' | 'isText' | 'listOf' | 'isTrue'>>;

const LAYOUT: Readonly<Record<string, Shown>> = {
  pagenumber: { kind: 'page' },
  pagecount: { kind: 'pageCount' },
};

/** Gives the renderer what each marker shows, and collects the warnings of `values`. */
export function markerValues(
  values: ResolvedValues,
  settings: FormatSettings,
  imageOf: ImageOf = () => undefined,
): Values {
  return {
    valueOf: (name, switches, rows) =>
      showMarker({ values, settings, imageOf }, name, switches, rows),
    isText: (name, switches) => {
      const field = values.fieldOf(name);
      return layoutOf(name, field) === undefined && mediaFormat(switches, field) === undefined;
    },
    listOf: (name, rows) => values.listIn(name, rows),
    isTrue: (name, rows) => isTrue(values.find(name, rows).value),
  };
}

/** A condition fails for nothing, false, zero and an empty text. */
function isTrue(value: unknown): boolean {
  if (isDecimal(value)) return !value.eq(0);
  if (typeof value === 'number') return value !== 0;
  if (typeof value === 'string') return value !== '' && value !== 'false';
  return value !== null && value !== undefined && value !== false;
}

interface Context {
  readonly values: ResolvedValues;
  readonly settings: FormatSettings;
  readonly imageOf: ImageOf;
}

function showMarker(
  context: Context,
  name: string,
  switches: string | undefined,
  rows: readonly RowContext[],
): FieldValue {
  const { values, settings } = context;
  const declared = values.fieldOf(name);
  const layout = layoutOf(name, declared);
  if (layout) return { shown: layout, isEmpty: false, isBound: true, ...lockOf(declared) };
  const format = mediaFormat(switches, declared);
  if (format?.kind === 'signature') return place(name, format.argument, declared);
  const resolved = values.valueIn(name, rows);
  const { value, field, isBound } = resolved;
  if (format && isBoundOrGiven(resolved)) {
    const shown = picture(context, name, format, value);
    if (shown) return { shown, isEmpty: false, isBound, ...lockOf(field) };
  }
  const { text, warnings } = formatValue(value, typeOf(field), switches, settings);
  for (const { code, message } of warnings) values.warnings.add({ code, field: name, message });
  return { shown: { kind: 'text', text }, isEmpty: text === '', isBound, ...lockOf(field) };
}

const isBoundOrGiven = ({ value }: ResolvedValue): boolean =>
  value !== null && value !== undefined && value !== '';

const lockOf = (field: MergeField | undefined): { lockedInOutput: boolean } => ({
  lockedInOutput: field?.lockedInOutput === true,
});

const typeOf = (field: MergeField | undefined): ValueFormat => field ?? { dataType: 'STRING' };

/** Numbers of pages are known to the layout alone. */
function layoutOf(name: string, field: MergeField | undefined): Shown | undefined {
  if (field && field.sourceType !== 'BUILTIN') return undefined;
  const code = fieldKey(field?.sourceRef || name);
  return Object.hasOwn(LAYOUT, code) ? LAYOUT[code] : undefined;
}

/** The picture that a marker asks for, or that the type of its field is. */
function mediaFormat(
  switches: string | undefined,
  field: MergeField | undefined,
): MarkerFormat['media'] {
  const own = parseMarkerFormat(switches).media;
  if (own) return own;
  const declared = field && parseFieldFormat(field.format, field.dataType)?.marker.media;
  if (declared) return declared;
  const kind = field?.dataType.toLowerCase();
  return kind === 'image' || kind === 'qr' || kind === 'barcode' || kind === 'signature'
    ? { kind, argument: '' }
    : undefined;
}

function place(name: string, argument: string, field: MergeField | undefined): FieldValue {
  const shown: Shown = { kind: 'place', name, ...parseSize(argument) };
  return { shown, isEmpty: false, isBound: field !== undefined, ...lockOf(field) };
}

function picture(
  { values, settings, imageOf }: Context,
  name: string,
  { kind, argument }: NonNullable<MarkerFormat['media']>,
  value: unknown,
): Shown | undefined {
  const text = textOf(value, yesNo(settings.locale));
  const failed = (message: string): undefined => {
    values.warnings.add({ code: 'FORMAT_FAILED', field: name, message });
    return undefined;
  };
  if (kind === 'image') {
    const [read, size] = [imageOf(value), parseSize(argument)];
    return read && size
      ? { kind: 'image', read, description: name, ...size }
      : failed('There is no image of this value.');
  }
  const code = parseCode(argument, kind === 'qr' ? 'qrcode' : 'code128');
  return code ? { kind: 'code', text, ...code } : failed('The size means nothing.');
}
