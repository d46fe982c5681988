import { randomBytes } from 'node:crypto';

/** One call to the public API that creates demo data. */
export interface DemoCall {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  /** Path below the base URL. */
  readonly path: string;
  readonly body: unknown;
}

/** A path that answers 200 once the demo data exists, and 404 before. */
export const demoMarkerPath = '/api/v1/setting/demo.greeting';

/** The demo data in order of creation; the marker comes last. */
export function demoCalls(): DemoCall[] {
  return [
    saveSetting(
      'security.aes_secret',
      `base64:${randomBytes(32).toString('base64')}`,
      'Key of the demo data',
    ),
    saveSetting('demo.page-size', '20', 'How many rows a list shows'),
    saveSetting('demo.mail.password', 'not-a-real-one', 'Shows how a secret value is masked'),
    saveSetting('demo.greeting', 'Hello from the local cloud', 'The setting of the first steps'),
  ];
}

function saveSetting(name: string, value: string, desc: string): DemoCall {
  return { method: 'POST', path: '/api/v1/setting/save', body: { name, value, desc } };
}
