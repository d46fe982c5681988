/** An example of each format, by its JSON Schema name. */
const EXAMPLES: Readonly<Record<string, string>> = {
  date: '2026-03-01',
  'date-time': '2026-03-01T09:30:00Z',
  'iso-date-time': '2026-03-01T09:30:00Z',
  time: '09:30:00Z',
  'iso-time': '09:30:00',
  duration: 'P1DT2H',
  email: 'mai@example.com',
  hostname: 'www.example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/path',
  'uri-reference': '/path',
  uuid: '019caf0a-6c40-7d3e-9a51-3f1f4b7f2a10',
  decimal: '12.50',
  'json-pointer': '/name',
  regex: '^[a-z]+$',
  byte: 'aGVsbG8=',
};

/** The rule of a format with an example: `must match format "date", such as 2026-03-01`. */
export function formatRule(format: string): string {
  const example = EXAMPLES[format];
  return `must match format "${format}"${example === undefined ? '' : `, such as ${example}`}`;
}
