import * as z from 'zod';
import { flattenListeners, type ListenerList } from '../messaging/consuming/listener.ts';
import type { DocsEditorAuthorizationService, Storage } from '../ports/documents.ts';
import type {
  DepartmentRepository,
  Notifier,
  PasswordPolicy,
  SessionIssuer,
  UserRepository,
} from '../ports/identity.ts';
import type { EncryptionModule, EncryptService, PermissionEvaluator } from '../ports/security.ts';
import type { SettingServiceClass, SettingValidator } from '../ports/settings.ts';
import type {
  TaskCompletionInterceptor,
  WorkflowTaskAuthorizationService,
  WorkflowTaskCandidateGroupResolver,
} from '../ports/workflow.ts';
import type { Authenticate } from '../security/authenticate.ts';

/**
 * The extension points of a host application. Every field is optional: an absent guard denies, an absent
 * service falls back to the default.
 */
export interface Host {
  /** Authenticates the caller; default: a bearer JWT of a configured issuer. */
  readonly authenticate?: Authenticate;
  /**
   * Decides protected routes (denied without it) and entities with `requirePermission=true`, which need no
   * permission without it unless `svc.dynamic.permission-fail-closed` is true.
   */
  readonly permissionEvaluator?: PermissionEvaluator;
  /** Decides task operations; absent: denied. */
  readonly workflowTaskAuthorizationService?: WorkflowTaskAuthorizationService;
  readonly workflowTaskCandidateGroupResolver?: WorkflowTaskCandidateGroupResolver;
  readonly taskCompletionInterceptors?: readonly TaskCompletionInterceptor[];
  /** Exactly one; otherwise the editor returns 403. */
  readonly docsEditorAuthorizationServices?: readonly DocsEditorAuthorizationService[];
  /** A class that extends `StandardSettingService`; default: that class. */
  readonly settingService?: SettingServiceClass;
  readonly settingValidators?: readonly SettingValidator[];
  readonly storage?: Storage;
  readonly encryptService?: EncryptService;
  readonly encryptionModule?: EncryptionModule;
  readonly userRepository?: UserRepository;
  readonly departmentRepository?: DepartmentRepository;
  readonly notifier?: Notifier;
  readonly sessionIssuer?: SessionIssuer;
  readonly passwordPolicy?: PasswordPolicy;
  /** The host's own consumers of topics. */
  readonly listeners?: ListenerList;
}

const port = z.looseObject({});
const callable = z.custom<unknown>((value) => typeof value === 'function', 'must be a function');

const listener = z.looseObject({
  topic: z.string().min(1),
  group: z.string().min(1),
  handle: callable,
});

const hostSchema = z.strictObject({
  authenticate: callable.optional(),
  permissionEvaluator: port.optional(),
  workflowTaskAuthorizationService: port.optional(),
  workflowTaskCandidateGroupResolver: port.optional(),
  taskCompletionInterceptors: z.array(port).optional(),
  docsEditorAuthorizationServices: z.array(port).optional(),
  settingService: callable.optional(),
  settingValidators: z.array(port).optional(),
  storage: port.optional(),
  encryptService: port.optional(),
  encryptionModule: port.optional(),
  userRepository: port.optional(),
  departmentRepository: port.optional(),
  notifier: port.optional(),
  sessionIssuer: port.optional(),
  passwordPolicy: port.optional(),
  // `brokerListener` returns a list, one entry per topic.
  listeners: z.preprocess(flatten, z.array(listener)).optional(),
} satisfies Record<keyof Host, z.ZodType>);

function flatten(list: unknown): unknown {
  return Array.isArray(list) ? list.flat() : list;
}

/**
 * Declares a host; the default export of the file that the construct's `hostEntry` names.
 * @throws Error naming every field that is unknown or has the wrong shape; MessagingError `MQ_LISTENER_TWICE`.
 *   At synth and when a function starts.
 */
export function defineHost(host: Host): Host {
  const parsed = hostSchema.safeParse(host);
  if (parsed.success) {
    flattenListeners(host.listeners);
    return host;
  }
  const problems = parsed.error.issues.map(
    ({ path, message }) => `  ${path.join('.') || 'host'}: ${message}`,
  );
  throw new Error(`The host is not valid:\n${problems.join('\n')}`);
}
