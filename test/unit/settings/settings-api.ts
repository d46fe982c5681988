import { createSettingsModule } from '../../../functions/settings/index.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  aContext,
  type ConnectedModule,
  type ContextOptions,
  connect,
  type TestContext,
} from '../../helpers/world/a-context.ts';

type Body = Readonly<Record<string, unknown>>;
type More = Omit<ApiRequest, 'method' | 'path'>;

/** The settings module behind its pipeline, with short ways to its endpoints. */
export interface SettingsApi extends ConnectedModule {
  readonly context: TestContext;
  get(path: string, more?: More): Promise<ApiAnswer>;
  post(path: string, body: unknown, more?: More): Promise<ApiAnswer>;
  /** Saves a setting; whatever is left out is that of `aSetting`. */
  save(setting?: Body, more?: More): Promise<ApiAnswer>;
  remove(name: string, more?: More): Promise<ApiAnswer>;
}

/** A save body with a name that nobody masks. */
export const aSetting = (more: Body = {}): Body => ({
  name: 'mail.from',
  value: 'no-reply@example.com',
  desc: 'Sender of notices',
  ...more,
});

/** An AES key as the setting holds it; every digit gives another one. */
export const anAesKey = (digit = 1): string => `hex:${String(digit % 10).repeat(64)}`;

/** Builds a settings module over a table in memory. */
export function aSettingsApi(options: ContextOptions = {}): SettingsApi {
  const context = aContext(options);
  const connected = connect(createSettingsModule, context);
  const { call } = connected;
  const base = '/api/v1/setting';
  return {
    ...connected,
    context,
    get: (path, more) => call({ method: 'GET', path: `${base}${path}`, ...more }),
    post: (path, body, more) => call({ method: 'POST', path: `${base}${path}`, body, ...more }),
    save: (setting, more) =>
      call({ method: 'POST', path: `${base}/save`, body: aSetting(setting), ...more }),
    remove: (name, more) => call({ method: 'DELETE', path: `${base}/${name}`, ...more }),
  };
}

/** The entries of a list answer. */
export const contentOf = ({ body }: ApiAnswer): readonly Body[] => body.content as readonly Body[];

/** A header of an `If-Match`. */
export const ifMatch = (version: number) => ({ headers: { 'if-match': `"${version}"` } });
