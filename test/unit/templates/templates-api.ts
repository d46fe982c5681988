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
  /** Uploads the file of a template. */
  upload(id: string, file: Uint8Array, more?: UploadOptions): Promise<ApiAnswer>;
  /** Makes a template. @returns its id */
  aTemplate(more?: object, caller?: TestClaims): Promise<string>;
  /** Delivers the messages of jobs until there are none. */
  runJobs(): Promise<void>;
}

/** What an upload has besides its file. */
export interface UploadOptions extends Partial<ApiRequest> {
  readonly fileName?: string;
  readonly version?: number;
}

interface TemplatesOptions extends ContextOptions {
  /** How a call waits for another one; default: the clock goes on by itself. */
  readonly pause?: (ms: number) => Promise<unknown>;
  /** Whether the editor is deployed; default: it is. */
  readonly hasEditor?: boolean;
  readonly storage?: MemoryStorage;
  /** What the editor says of how long links work. */
  readonly linkSeconds?: number;
  /** Which ports of other modules are on; default: all. */
  readonly ports?: Readonly<Record<string, boolean>>;
}

/** Somebody of a tenant who may do everything. */
export const ofTenant = (tenant: string): TestClaims => ({ sub: tenant, roles: ['admin'], tenant });

/** Connects the templates module to a test context. */
export function aTemplatesApi({
  svc,
  pause,
  hasEditor = true,
  storage = memoryStorage(),
  linkSeconds,
  ports,
  ...options
}: TemplatesOptions = {}): TemplatesApi {
  const made = aContext({
    module: 'templates',
    host: { permissionEvaluator: claimsPermissionEvaluator, storage },
    svc: { template: { enabled: true }, mq: { transport: 'broker', 'app-code': 'shop' }, ...svc },
    ...options,
  });
  const otherSections = { docs: { enabled: hasEditor, presignedUrlExpiration: linkSeconds } };
  const context: TestContext = {
    ...made,
    environment: { ...made.environment, otherSections, ...(ports && { ports }) },
    ...(pause && { pause }),
  };
  const module = connect(createTemplatesModule, context);
  const send =
    (method: string) =>
    (path: string, body?: unknown, more: Partial<ApiRequest> = {}): Promise<ApiAnswer> =>
      module.call({ method, path, body, ...more });
  let count = 0;
  let delivered = 0;
  return {
    ...{ ...module, context, storage },
    get: (path, more) => module.call({ method: 'GET', path, ...more }),
    post: send('POST'),
    put: send('PUT'),
    remove: (path, more) => module.call({ method: 'DELETE', path, ...more }),
    async upload(id, file, { fileName = 'letter.docx', version, ...more } = {}) {
      const form = new FormData();
      form.append('file', new Blob([Uint8Array.from(file)]), fileName);
      if (version !== undefined) form.append('version', String(version));
      const sent = new Response(form);
      const contentType = sent.headers.get('content-type') ?? '';
      const body = Buffer.from(await sent.arrayBuffer());
      const headers = { 'content-type': contentType, ...more.headers };
      const path = `${TEMPLATES}/${id}/file`;
      return module.call({ method: 'PUT', path, ...more, body, headers });
    },
    async runJobs() {
      while (delivered < context.bus.events.length) {
        const event = context.bus.events[delivered];
        delivered += 1;
        if (event?.type === 'template-job') await module.deliver(event.envelope);
      }
    },
    async aTemplate(more = {}, caller) {
      count += 1;
      const body = { code: `letter-${count}`, name: `Letter ${count}`, type: 'TYPE_1', ...more };
      const made = await send('POST')(TEMPLATES, body, caller && { caller });
      return String(made.body.id);
    },
  };
}
