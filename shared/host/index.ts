export type { EventPublisher, Message, PublishResult } from '../messaging/event-publisher.ts';
export {
  brokerListener,
  type ListenerContext,
  messageListener,
} from '../messaging/listener.ts';
export { NonRetryableError, RetryLaterError } from '../messaging/messaging-error.ts';
export {
  ADMIN_ROLE,
  claimsPermissionEvaluator,
  claimsTaskAuthorization,
} from './claims-policies.ts';
export { defineHost, type Host } from './host.ts';
