import { identityRoutes } from '../../../functions/identity/api/routes.ts';
import { createServices } from '../../../functions/identity/index.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import type { Host } from '../../../shared/host/host.ts';
import type { ReEncryption } from '../../../shared/ports/re-encryption.ts';
import type { EncryptService } from '../../../shared/ports/security.ts';
import type { TestClaims } from '../api/test-tokens.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  aContext,
  type ConnectedModule,
  type ContextOptions,
  connect,
  type TestContext,
} from '../world/a-context.ts';
import { type MemorySync, memorySync } from './memory-sync.ts';

export const SOURCES = '/api/v1/identity_source';

/** Somebody of a tenant who may do everything. */
export const ofTenant = (tenant: string): TestClaims => ({ sub: tenant, roles: ['admin'], tenant });

/** Connection data of a source that is never called. */
export const CONNECTION = {
  baseUrl: 'https://idm.example.com/scim/v2',
  adminUsername: 'sync',
  adminPassword: 'canary-admin-password',
};

/** Writes texts backwards: enough to see that one was encrypted. */
export const reversing: EncryptService = {
  encrypt: async (plain) => `sealed:${[...plain].toReversed().join('')}`,
  decrypt: async (sealed) => [...sealed.slice('sealed:'.length)].toReversed().join(''),
  needsReencrypt: async () => false,
};

export interface IdentityApi extends ConnectedModule {
  readonly context: TestContext;
  readonly sync: MemorySync;
  readonly services: ReturnType<typeof createServices>;
  get(path: string, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  post(path: string, body?: unknown, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  put(path: string, body?: unknown, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  remove(path: string, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  /** Makes a source. @returns its id */
  aSource(more?: object, caller?: TestClaims): Promise<string>;
}

interface IdentityOptions extends ContextOptions {
  readonly sync?: MemorySync;
  readonly encryption?: EncryptService;
  /** Where a browser reaches the API; default: https://api.example.com. */
  readonly baseUrl?: string;
  /** Default: the module takes part in none. */
  readonly reEncryption?: (context: TestContext) => ReEncryption;
}

/** The identity module behind its pipeline, over a table in memory. */
export function anIdentityApi({
  sync = memorySync(),
  encryption = reversing,
  reEncryption,
  baseUrl = 'https://api.example.com',
  svc,
  host,
  ...options
}: IdentityOptions = {}): IdentityApi {
  const context = aContext({
    module: 'identity',
    host: { permissionEvaluator: claimsPermissionEvaluator, ...host } satisfies Host,
    svc: { idp: { enabled: true }, ...svc },
    ...options,
  });
  const others = reEncryption && { reEncryption: () => reEncryption(context) };
  const services = createServices(context, { encryption, ...others }, { sync });
  const module = connect(
    ({ config }) => ({
      routes: identityRoutes({ ...services, sync, baseUrl: () => baseUrl }, config),
      sessionKeys: () => services.sessionKeys.published(),
    }),
    context,
  );
  const send =
    (method: string) =>
    (path: string, body?: unknown, more: Partial<ApiRequest> = {}): Promise<ApiAnswer> =>
      module.call({ method, path, body, ...more });
  let count = 0;
  return {
    ...{ ...module, context, sync, services },
    get: (path, more) => module.call({ method: 'GET', path, ...more }),
    post: send('POST'),
    put: send('PUT'),
    remove: (path, more) => module.call({ method: 'DELETE', path, ...more }),
    async aSource(more = {}, caller) {
      count += 1;
      const body = { name: `Source ${count}`, provider: 'EXTSRC', ...more };
      const made = await send('POST')(`${SOURCES}/create`, body, caller && { caller });
      return String(made.body.id);
    },
  };
}
