import { fieldKey } from '../fields/field.ts';
import { formatDate, parseDatePicture } from '../formats/date-picture.ts';
import type { FormatSettings } from '../formats/locale-defaults.ts';
import { type WallTime, wallTimeOf, wallTimeText } from '../values/wall-time.ts';
import { builtinOf } from './builtin-catalogue.ts';

/** The caller, as its claims describe it. */
export interface UserFacts {
  readonly id?: string | undefined;
  readonly username?: string | undefined;
  readonly fullName?: string | undefined;
  readonly email?: string | undefined;
  readonly departmentName?: string | undefined;
}

export interface DocumentFacts {
  readonly documentNumber?: string | undefined;
  readonly generationId?: string | undefined;
  readonly templateCode?: string | undefined;
  readonly templateName?: string | undefined;
  readonly fileName?: string | undefined;
  readonly outputFormat?: string | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
}

/** All that builtin values are made of. It is read once for each generation, the clock too. */
export interface BuiltinFacts {
  readonly nowMs: number;
  readonly uuid: string;
  readonly user: UserFacts;
  readonly document: DocumentFacts;
  readonly company: {
    readonly name?: string | undefined;
    readonly address?: string | undefined;
    readonly taxCode?: string | undefined;
  };
  /** Constants of the tenant, by their codes. */
  readonly constants?: ReadonlyMap<string, unknown>;
}

/** The values of the builtins, by their codes; those of the layout (`pageNumber`) have none. */
export type BuiltinValues = (code: string) => unknown;

/** Reads the clock once for all values that are asked for. */
export function builtinValues(facts: BuiltinFacts, settings: FormatSettings): BuiltinValues {
  const values = new Map<string, unknown>();
  for (const [code, value] of facts.constants ?? []) values.set(fieldKey(code), value);
  for (const [code, value] of Object.entries(systemValues(facts, settings))) {
    values.set(fieldKey(code), value);
  }
  return (code) => values.get(fieldKey(code));
}

/** Whether a code is that of a builtin or of a constant of the tenant. */
export const isBuiltin = (
  code: string,
  constants: ReadonlyMap<string, unknown> | undefined,
): boolean =>
  builtinOf(code) !== undefined ||
  [...(constants?.keys() ?? [])].some((constant) => fieldKey(constant) === fieldKey(code));

function systemValues(facts: BuiltinFacts, settings: FormatSettings): Record<string, unknown> {
  const { user, document, company, uuid } = facts;
  return {
    ...timeValues(facts.nowMs, settings),
    currentUserId: user.id,
    currentUserName: user.username,
    currentUserFullName: user.fullName,
    currentUserEmail: user.email,
    currentUserDepartment: user.departmentName,
    documentNumber: document.documentNumber,
    generationId: document.generationId,
    templateCode: document.templateCode,
    templateName: document.templateName,
    fileName: document.fileName,
    outputFormat: document.outputFormat,
    entityType: document.entityType,
    entityId: document.entityId,
    companyName: company.name,
    companyAddress: company.address,
    companyTaxCode: company.taxCode,
    uuid,
  };
}

function timeValues(nowMs: number, { locale, zone }: FormatSettings): Record<string, unknown> {
  const now = wallTimeOf(nowMs, zone);
  if (now === undefined) return {};
  const by = (picture: string): string => show(now, picture, locale);
  const isVietnamese = new Intl.Locale(locale).language === 'vi';
  return {
    today: wallTimeText({ ...now, hasTime: false }),
    now: new Date(nowMs).toISOString(),
    currentDay: by('dd'),
    currentMonth: by('MM'),
    currentYear: by('yyyy'),
    currentTime: wallTimeText({ ...now, hasDate: false }),
    todayLong: isVietnamese ? by("'ngày' dd 'tháng' MM 'năm' yyyy") : longDate(now, locale),
    dayOfWeek: by('dddd'),
  };
}

const show = (time: WallTime, picture: string, locale: string): string =>
  formatDate(time, parseDatePicture(picture) ?? [], locale);

const longDate = ({ ms }: WallTime, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(ms);
