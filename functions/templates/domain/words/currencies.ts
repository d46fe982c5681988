/** Names of a currency and of its hundredth. */
export interface CurrencyNames {
  readonly vi: readonly [unit: string, part?: string];
  /** One and several. */
  readonly en: readonly [unit: string, units: string, part?: string, parts?: string];
}

const CENT = ['cent', 'cents'] as const;

const NAMES: Readonly<Record<string, CurrencyNames>> = {
  VND: { vi: ['đồng'], en: ['dong', 'dong'] },
  USD: { vi: ['đô la Mỹ', 'xen'], en: ['US dollar', 'US dollars', ...CENT] },
  EUR: { vi: ['euro', 'xen'], en: ['euro', 'euros', ...CENT] },
  GBP: { vi: ['bảng Anh', 'xu'], en: ['pound sterling', 'pounds sterling', 'penny', 'pence'] },
  JPY: { vi: ['yên Nhật'], en: ['Japanese yen', 'Japanese yen'] },
  KRW: { vi: ['won Hàn Quốc'], en: ['South Korean won', 'South Korean won'] },
  CNY: { vi: ['nhân dân tệ', 'phân'], en: ['yuan', 'yuan', 'fen', 'fen'] },
  THB: { vi: ['bạt Thái', 'satang'], en: ['Thai baht', 'Thai baht', 'satang', 'satang'] },
  SGD: { vi: ['đô la Singapore', 'xen'], en: ['Singapore dollar', 'Singapore dollars', ...CENT] },
  AUD: { vi: ['đô la Úc', 'xen'], en: ['Australian dollar', 'Australian dollars', ...CENT] },
  CAD: { vi: ['đô la Canada', 'xen'], en: ['Canadian dollar', 'Canadian dollars', ...CENT] },
  CHF: { vi: ['franc Thụy Sĩ', 'xu'], en: ['Swiss franc', 'Swiss francs', 'centime', 'centimes'] },
  LAK: { vi: ['kíp Lào'], en: ['Lao kip', 'Lao kip'] },
  KHR: { vi: ['riel Campuchia'], en: ['Cambodian riel', 'Cambodian riels'] },
};

/** The names of a currency; one without names is called by its code and has no hundredths. */
export const currencyNames = (code: string): CurrencyNames =>
  (Object.hasOwn(NAMES, code) ? NAMES[code] : undefined) ?? { vi: [code], en: [code, code] };
