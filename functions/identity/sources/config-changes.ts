import type { BasicConfig, JobConfig, StrategyConfig } from '../domain/sources/source.ts';
import { problems } from '../errors.ts';

/** Connection data as a caller sends it: a secret that is absent or null stays. */
export interface BasicConfigChange
  extends Omit<BasicConfig, 'adminPassword' | 'clientSecret' | OptionalText> {
  readonly adminPassword?: string | null | undefined;
  readonly clientSecret?: string | null | undefined;
  readonly domainOverride?: string | null | undefined;
  readonly notifyTemplateCode?: string | null | undefined;
  readonly tokenUrl?: string | null | undefined;
  readonly clientId?: string | null | undefined;
  readonly eventIssuer?: string | null | undefined;
  readonly eventJwksUri?: string | null | undefined;
}

type OptionalText =
  | 'domainOverride'
  | 'notifyTemplateCode'
  | 'tokenUrl'
  | 'clientId'
  | 'eventIssuer'
  | 'eventJwksUri';

/** A strategy as a caller sends it; a default password that is absent or null stays. */
export interface StrategyChange extends Omit<StrategyConfig, 'user'> {
  readonly user: Omit<StrategyConfig['user'], 'defaultPasswords'> & {
    readonly defaultPassword?: string | null | undefined;
    /** `false` takes a default password away. */
    readonly defaultPasswordSet?: boolean | undefined;
  };
}

/** The blocks of a configuration that a call changes; the others stay. */
export interface ConfigChanges {
  readonly basicConfig?: BasicConfigChange | undefined;
  readonly strategyConfig?: StrategyChange | undefined;
  readonly jobConfig?: JobConfig | undefined;
}

/**
 * The connection data after a change. A stored secret never goes to another origin than the one that it was saved for.
 * @throws Problem `PASSWORD_REQUIRED` (400)
 */
export function changedConnection(
  { adminPassword, clientSecret, ...change }: BasicConfigChange,
  stored: BasicConfig | undefined,
): BasicConfig {
  const missing: { readonly pointer: string }[] = [];
  const keeps = stored !== undefined && !leavesOrigin(change, stored);
  const secret = (sent: string | null | undefined, kept: string | undefined, name: string) => {
    if (sent !== null && sent !== undefined) return sent;
    if (kept !== undefined && !keeps) missing.push({ pointer: `/basicConfig/${name}` });
    return kept;
  };
  const password = secret(adminPassword, stored?.adminPassword, 'adminPassword');
  const client = secret(clientSecret, stored?.clientSecret, 'clientSecret');
  if (password === undefined) missing.push({ pointer: '/basicConfig/adminPassword' });
  if (password === undefined || missing.length > 0) throw problems.passwordRequired(missing);
  return {
    ...withoutNulls(change),
    adminPassword: password,
    ...(client === undefined ? {} : { clientSecret: client }),
  };
}

/** Whether secrets would be sent to an origin that they were not saved for. */
function leavesOrigin(
  next: Pick<BasicConfigChange, 'baseUrl' | 'tokenUrl'>,
  stored: Pick<BasicConfig, 'baseUrl' | 'tokenUrl'>,
): boolean {
  const known = new Set([stored.baseUrl, stored.tokenUrl ?? stored.baseUrl].map(originOf));
  return [next.baseUrl, next.tokenUrl ?? next.baseUrl].some((url) => !known.has(originOf(url)));
}

const originOf = (url: string): string => new URL(url).origin;

type WithoutNulls<T> = { readonly [K in keyof T]: Exclude<T[K], null> };

const withoutNulls = <T extends object>(given: T): WithoutNulls<T> =>
  Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
  ) as WithoutNulls<T>;
