import { flattenListeners, type ListenerList } from '../messaging/consuming/listener.ts';
import type {
  DocsEditorAuthorizationService,
  DocsEditorPermissionResolver,
  Storage,
} from '../ports/documents.ts';
import type {
  DepartmentRepository,
  Notifier,
  PasswordPolicy,
  ProtectedAccounts,
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
import { type FieldShape, hostProblems } from './host-problems.ts';

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
  /** Narrows what users of the editor may take out of a document; absent: everything is allowed. */
  readonly docsEditorPermissionResolver?: DocsEditorPermissionResolver;
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
  /** Accounts that no synchronisation disables or removes. */
  readonly protectedAccounts?: ProtectedAccounts;
  /** The host's own consumers of topics. */
  readonly listeners?: ListenerList;
}

const SHAPES: Readonly<Record<keyof Host, FieldShape>> = {
  authenticate: 'function',
  permissionEvaluator: 'object',
  workflowTaskAuthorizationService: 'object',
  workflowTaskCandidateGroupResolver: 'object',
  taskCompletionInterceptors: 'objects',
  docsEditorAuthorizationServices: 'objects',
  docsEditorPermissionResolver: 'object',
  settingService: 'function',
  settingValidators: 'objects',
  storage: 'object',
  encryptService: 'object',
  encryptionModule: 'object',
  userRepository: 'object',
  departmentRepository: 'object',
  notifier: 'object',
  sessionIssuer: 'object',
  passwordPolicy: 'object',
  protectedAccounts: 'object',
  listeners: 'listeners',
};

/**
 * Declares a host; the default export of the file that the construct's `hostEntry` names.
 * @throws Error naming every field that is unknown or has the wrong shape; MessagingError `MQ_LISTENER_TWICE`.
 *   At synth and when a function starts.
 */
export function defineHost(host: Host): Host {
  const problems = hostProblems(host, SHAPES);
  if (problems.length > 0) {
    throw new Error(`The host is not valid:\n${problems.map((each) => `  ${each}`).join('\n')}`);
  }
  flattenListeners(host.listeners);
  return host;
}
