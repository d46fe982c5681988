/** Document numbers of a template, such as `0007/2026/HDLD`. */
export const DEFAULT_PATTERN = '{seq:0000}/{yyyy}/{code}';

const PLACE = /\{(seq|yyyy|yy|MM|dd|code)(?::(0{1,12}))?\}/g;

/** A pattern that counts: it has `{seq}`, and no other braces than those of places. */
export const NUMBER_PATTERN =
  /^(?:[^{}]|\{(?:seq|yyyy|yy|MM|dd|code)(?::0{1,12})?\})*\{seq(?::0{1,12})?\}(?:[^{}]|\{(?:seq|yyyy|yy|MM|dd|code)(?::0{1,12})?\})*$/;

/** @param day as `yyyy-MM-dd`, in the zone of merge fields */
export function documentNumber(
  pattern: string,
  {
    sequence,
    day,
    code,
  }: { readonly sequence: number; readonly day: string; readonly code: string },
): string {
  const [yyyy = '', MM = '', dd = ''] = day.split('-');
  const values: Readonly<Record<string, string>> = {
    ...{ yyyy, yy: yyyy.slice(-2), MM, dd, code, seq: String(sequence) },
  };
  return pattern.replaceAll(PLACE, (_, name: string, zeros = '') =>
    (values[name] ?? '').padStart(zeros.length, '0'),
  );
}
