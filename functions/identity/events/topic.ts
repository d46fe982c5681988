/** Tells the module that an event of a source waits to be applied. */
export const EVENT_TOPIC = 'identity.event.received';
