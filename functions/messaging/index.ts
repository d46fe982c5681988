export { DeadLetterService } from './dead-letters/dead-letter-service.ts';
export { DispatchService } from './dispatch-service.ts';
export { createMessagingModule, type MessagingModule } from './module.ts';
