import { parseSpringCron } from '../primitives/spring-cron.ts';
import type { SvcConfig } from './schema.ts';

/** One finding about the configuration. Errors stop the deployment and the start of a function. */
export interface ConfigIssue {
  readonly severity: 'error' | 'warning';
  /** Stable code, such as `MQ_APP_CODE_REQUIRED`. */
  readonly code: string;
  /** Full property name. */
  readonly property: string;
  readonly message: string;
}

type Rule = (config: SvcConfig, stage: string) => ConfigIssue | false | undefined | '';

/**
 * Checks the rules between properties. Called while the stack is synthesised and again when a function starts.
 * @returns errors and warnings; none when all is well.
 */
export function validateConfig(
  config: SvcConfig,
  { stage }: { readonly stage: string },
): ConfigIssue[] {
  return [...messagingRules, ...documentRules, ...otherRules]
    .map((rule) => rule(config, stage))
    .filter((issue) => typeof issue === 'object');
}

/** Key prefixes of the one table that belong to other records; a renamed message table must not take one. */
const TAKEN_PREFIXES = new Set([
  'setting',
  'received_messages',
  'LOCK',
  'IDEM',
  'CASE',
  'TASK',
  'TASKIDX',
  'WF',
  'PROC',
  'TIMERDUE',
  'DYN_ENTITY_DEFINITION',
  'DYN_FIELD_DEFINITION',
  'DYN_RECORD',
  'DYN_FIELD_VALUE',
  'template',
  'identity_source',
  'identity_provider',
  'identity_source_sync_history',
  'identity_source_sync_record',
  'identity_source_event_record',
]);

const messagingRules: readonly Rule[] = [
  ({ mq }) =>
    mq.relay.enabled &&
    !mq.appCode &&
    error(
      'MQ_APP_CODE_REQUIRED',
      'svc.mq.app-code',
      'is required when svc.mq.relay.enabled is true',
    ),
  ({ mq }) =>
    mq.transport === 'broker' &&
    !mq.relay.enabled &&
    !mq.appCode &&
    warning(
      'MQ_APP_CODE_DEFAULTED',
      'svc.mq.app-code',
      'is not set; events carry the source svc.app',
    ),
  ({ mq }) =>
    mq.messageTable === mq.messageTrackingTable &&
    error(
      'MQ_TABLES_EQUAL',
      'svc.mq.message-tracking-table',
      'must differ from svc.mq.message-table',
    ),
  ({ mq }) =>
    TAKEN_PREFIXES.has(mq.messageTable) &&
    error(
      'MQ_TABLE_TAKEN',
      'svc.mq.message-table',
      `${mq.messageTable} names other records of the table`,
    ),
  ({ mq }) =>
    TAKEN_PREFIXES.has(mq.messageTrackingTable) &&
    error(
      'MQ_TABLE_TAKEN',
      'svc.mq.message-tracking-table',
      `${mq.messageTrackingTable} names other records of the table`,
    ),
  ({ mq }) =>
    mq.schemaUpdateEnabled &&
    warning(
      'MQ_SCHEMA_UPDATE',
      'svc.mq.schema-update-enabled',
      'one table holds all records and needs no DDL; only the layout version of stored messages is checked',
    ),
  ({ mq }) =>
    mq.relay.enabled &&
    mq.transport === 'spring' &&
    warning(
      'MQ_RELAY_WITHOUT_BROKER',
      'svc.mq.relay.enabled',
      'has no effect on messages of the transport spring',
    ),
  ({ mq }) =>
    mq.brokerTemplateProxyEnabled &&
    mq.transport !== 'broker' &&
    error(
      'MQ_PROXY_NEEDS_BROKER',
      'svc.mq.broker-template-proxy-enabled',
      'needs svc.mq.transport=broker',
    ),
  ({ mq }) =>
    mq.brokerTemplateProxyEnabled &&
    !mq.relay.enabled &&
    warning(
      'MQ_PROXY_WITHOUT_RELAY',
      'svc.mq.broker-template-proxy-enabled',
      'without the relay a send that fails once is not repeated',
    ),
  ({ mq }) =>
    usesRate(mq) &&
    mq.relay.scheduleTrigger.fixedRate === undefined &&
    warning(
      'MQ_RELAY_RATE_DEFAULTED',
      'svc.mq.relay.schedule-trigger.fixed-rate',
      'is not set; the relay runs every minute',
    ),
  ({ mq }) =>
    usesRate(mq) &&
    (mq.relay.scheduleTrigger.fixedRate ?? 60_000) < 1_000 &&
    error(
      'MQ_RELAY_RATE_TOO_SHORT',
      'svc.mq.relay.schedule-trigger.fixed-rate',
      'must be at least 1s',
    ),
  ({ mq }) => {
    const { triggerType, cronExpression } = mq.relay.scheduleTrigger;
    const problem = triggerType === 'CRON' && cronProblem(cronExpression);
    return (
      problem &&
      error(
        'MQ_RELAY_CRON_INVALID',
        'svc.mq.relay.schedule-trigger.cron-expression',
        `${problem}; it is "${cronExpression}"`,
      )
    );
  },
];

const documentRules: readonly Rule[] = [
  ({ docs }) =>
    docs.enabled &&
    !docs.documentServerUrl &&
    error(
      'DOCS_SERVER_URL_REQUIRED',
      'svc.docs.document-server-url',
      'is required when svc.docs.enabled is true',
    ),
  ({ docs }) =>
    docs.enabled &&
    !docs.secret &&
    error('DOCS_SECRET_REQUIRED', 'svc.docs.secret', 'is required when svc.docs.enabled is true'),
  ({ docs }) =>
    docs.secret !== undefined &&
    !docs.secret.startsWith('secretsmanager:') &&
    Buffer.byteLength(docs.secret) < 32 &&
    warning(
      'DOCS_SECRET_SHORT',
      'svc.docs.secret',
      'is shorter than the 32 bytes that HS256 asks for',
    ),
  ({ docs }) =>
    docs.callbackContextTokenExpiration < docs.editorAbsoluteLifetime + docs.callbackRetryWindow &&
    error(
      'DOCS_CALLBACK_TOKEN_TOO_SHORT',
      'svc.docs.callback-context-token-expiration',
      `must be at least editor-absolute-lifetime + callback-retry-window = ${docs.editorAbsoluteLifetime + docs.callbackRetryWindow}; it is ${docs.callbackContextTokenExpiration}`,
    ),
  ({ docs }) =>
    docs.presignedUrlExpiration > 3_600 &&
    warning(
      'DOCS_PRESIGNED_URL_LONG',
      'svc.docs.presigned-url-expiration',
      'a link signed with role credentials ends with their session, at times sooner',
    ),
  ({ docs }) =>
    docs.enabled &&
    !docs.callbackTokenRequired &&
    warning(
      'DOCS_CALLBACK_UNVERIFIED',
      'svc.docs.callback-token-required',
      'false lets anybody who knows a callback address save documents',
    ),
];

const otherRules: readonly Rule[] = [
  ({ dynamic }) =>
    dynamic.tablePrefix !== 'DYN_' &&
    warning(
      'DYNAMIC_TABLE_PREFIX_UNUSED',
      'svc.dynamic.table-prefix',
      'has no effect; record names are fixed',
    ),
  ({ workflow }) =>
    workflow.bpmnEndpointsEnabled &&
    !workflow.enabled &&
    error(
      'WORKFLOW_DISABLED',
      'svc.workflow.bpmn-endpoints-enabled',
      'needs svc.workflow.enabled=true',
    ),
  ({ web }) =>
    web.pageSizeDefault > web.pageSizeMax &&
    error('WEB_PAGE_SIZE', 'svc.web.page-size-default', 'must not exceed svc.web.page-size-max'),
  ({ web }) =>
    web.corsOrigins.includes('*') &&
    web.corsOrigins.length > 1 &&
    error('WEB_CORS_ORIGINS', 'svc.web.cors-origins', '* must stand alone'),
  ({ security }, stage) =>
    security.dev &&
    stage !== 'local' &&
    error(
      'SECURITY_DEV_NOT_LOCAL',
      'svc.security.dev',
      `is allowed for the stage local only; the stage is ${stage}`,
    ),
  ({ security }) =>
    !security.dev &&
    security.issuers.some(({ jwks }) => jwks) &&
    error(
      'SECURITY_INLINE_KEYS',
      'svc.security.issuers',
      'inline jwks need svc.security.dev=true; name a jwksUri',
    ),
  ({ security }, stage) =>
    stage !== 'local' &&
    security.issuers.some(
      ({ issuer, jwksUri }) => !`${jwksUri ?? issuer}`.startsWith('https://'),
    ) &&
    error('SECURITY_ISSUER_NOT_HTTPS', 'svc.security.issuers', 'keys are fetched over https only'),
  ({ security }) =>
    new Set(security.issuers.map(({ issuer }) => issuer)).size < security.issuers.length &&
    error('SECURITY_ISSUER_TWICE', 'svc.security.issuers', 'an issuer is listed twice'),
];

function usesRate({ relay }: SvcConfig['mq']): boolean {
  return relay.enabled && ['FIXED_RATE', 'FIXED_DELAY'].includes(relay.scheduleTrigger.triggerType);
}

function cronProblem(expression: string): string | undefined {
  try {
    parseSpringCron(expression);
    return undefined;
  } catch (cause) {
    return cause instanceof RangeError ? cause.message : 'is not a cron expression';
  }
}

function error(code: string, property: string, message: string): ConfigIssue {
  return { severity: 'error', code, property, message };
}

function warning(code: string, property: string, message: string): ConfigIssue {
  return { severity: 'warning', code, property, message };
}
