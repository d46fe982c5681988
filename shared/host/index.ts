export {
  brokerListener,
  type ListenerContext,
  messageListener,
} from '../messaging/consuming/listener.ts';
export type { EventPublisher, Message, PublishResult } from '../messaging/wire/event-publisher.ts';
export { NonRetryableError, RetryLaterError } from '../messaging/wire/messaging-error.ts';
export {
  ADMIN_ROLE,
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from './claims-policies.ts';
export { defineHost, type Host } from './host.ts';
