import { createTemplatesModule } from '../../../functions/templates/index.ts';
import { claimsPermissionEvaluator } from '../../../shared/host/claims-policies.ts';
import type { TestClaims } from '../../helpers/api/test-tokens.ts';
import { type MemoryStorage, memoryStorage } from '../../helpers/captured/memory-storage.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  aContext,
  type ConnectedModule,
  type ContextOptions,
  connect,
  type TestContext,
} from '../../helpers/world/a-context.ts';

export const TEMPLATES = '/api/v1/templates';

/** The templates module behind its pipeline, over a table and files in memory. */
export interface TemplatesApi extends ConnectedModule {
  readonly context: TestContext;
  readonly storage: MemoryStorage;
  get(path: string, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  post(path: string, body?: unknown, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  put(path: string, body: unknown, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  remove(path: string, more?: Partial<ApiRequest>): Promise<ApiAnswer>;
  /** Makes a template. @returns its id */
  aTemplate(more?: object, caller?: TestClaims): Promise<string>;
}

/** Somebody of a tenant who may do everything. */
export const ofTenant = (tenant: string): TestClaims => ({ sub: tenant, roles: ['admin'], tenant });

/** Connects the templates module to a test context. */
export function aTemplatesApi({ svc, ...options }: ContextOptions = {}): TemplatesApi {
  const storage = memoryStorage();
  const context = aContext({
    module: 'templates',
    host: { permissionEvaluator: claimsPermissionEvaluator, storage },
    svc: { template: { enabled: true }, mq: { transport: 'broker', 'app-code': 'shop' }, ...svc },
    ...options,
  });
  const module = connect(createTemplatesModule, context);
  const send =
    (method: string) =>
    (path: string, body?: unknown, more: Partial<ApiRequest> = {}): Promise<ApiAnswer> =>
      module.call({ method, path, body, ...more });
  let count = 0;
  return {
    ...{ ...module, context, storage },
    get: (path, more) => module.call({ method: 'GET', path, ...more }),
    post: send('POST'),
    put: send('PUT'),
    remove: (path, more) => module.call({ method: 'DELETE', path, ...more }),
    async aTemplate(more = {}, caller) {
      count += 1;
      const body = { code: `letter-${count}`, name: `Letter ${count}`, type: 'TYPE_1', ...more };
      const made = await send('POST')(TEMPLATES, body, caller && { caller });
      return String(made.body.id);
    },
  };
}
