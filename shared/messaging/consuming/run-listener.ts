import type { SettingService } from '../../ports/settings.ts';
import { requestContext } from '../../primitives/request-context.ts';
import type { Table } from '../../store/table.ts';
import type { UnitOfWork } from '../../store/unit-of-work.ts';
import type { EventPublisher, Message } from '../wire/event-publisher.ts';
import type { BrokerClients, Listener } from './listener.ts';

export interface ListenerTools {
  readonly events: EventPublisher;
  readonly brokerClients: () => Promise<BrokerClients>;
  readonly settings: SettingService;
  readonly items: Table;
}

/** Calls a listener inside a unit of work. */
export function runListener(
  { handle }: Listener,
  message: Message,
  { uow, attempt }: { readonly uow: UnitOfWork; readonly attempt: number },
  tools: ListenerTools,
): Promise<void> {
  const traceId = message.traceId ?? requestContext().traceId;
  return handle(message, { ...tools, uow, attempt, traceId });
}
