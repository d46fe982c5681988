import { isDecimal } from '../values/decimal.ts';
import { readWallTime, type WallTime } from '../values/wall-time.ts';
import type { DataType } from './data-type.ts';
import { formatDate, parseDatePicture } from './date-picture.ts';
import { defaultDatePicture, type FormatSettings } from './locale-defaults.ts';

const CLOCK = 'HH:mm';

/** A date or time by a picture, else by its type; `undefined` when it is none or the picture is wrong. */
export function showDate(
  value: unknown,
  type: DataType,
  picture: string | undefined,
  { locale, zone }: FormatSettings,
): string | undefined {
  const time = readWallTime(isDecimal(value) ? value.toNumber() : value, zone);
  if (time === undefined || !fits(time, type)) return undefined;
  const parts = parseDatePicture(picture ?? defaultPicture(time, type, locale));
  return parts === undefined ? undefined : formatDate(time, parts, locale);
}

/** A time of day is no date, and a date has no time of day. */
function fits({ hasDate, hasTime }: WallTime, type: DataType): boolean {
  return type === 'TIME' ? hasTime : hasDate || (type !== 'DATE' && type !== 'DATETIME');
}

function defaultPicture({ hasDate, hasTime }: WallTime, type: DataType, locale: string): string {
  if (type === 'TIME' || !hasDate) return CLOCK;
  const date = defaultDatePicture(locale);
  return type === 'DATE' || !hasTime ? date : `${date} ${CLOCK}`;
}
