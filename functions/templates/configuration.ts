import * as z from 'zod';
import type { PlatformConfig } from '../../shared/config/index.ts';
import { type ConfigOf, defineSection } from '../../shared/config/section.ts';
import { flag, textList } from '../../shared/config/values.ts';
import { isTimeZone } from '../../shared/primitives/zones/time-zone.ts';
import { pdfProperties } from './pdf/configuration.ts';

const schema = () =>
  z.strictObject({
    enabled: flag(false, 'Switches the document templates on; must be explicitly true.'),
    'merge-field-locale': z
      .string()
      .refine(isLocale, 'must be a BCP 47 language tag such as vi-VN')
      .default('vi-VN')
      .describe('Locale for merge-field formatting.'),
    'merge-field-zone-id': z
      .string()
      .refine(isTimeZone, 'must be an IANA time zone such as Asia/Ho_Chi_Minh')
      .default('Asia/Ho_Chi_Minh')
      .describe('Time zone for instants in merge fields.'),
    'readable-settings': textList(
      [],
      'Settings that merge fields may show besides those under template., separated by commas; a dot at the end stands for all below. Never those under security.',
    ),
    ...pdfProperties(),
  });

/** `svc.template`. */
export const templateSection = defineSection({ name: 'template', schema });

export type TemplatesConfig = PlatformConfig & ConfigOf<typeof templateSection>;

/** Whether a text is a language tag. */
export function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
