/** Tasks of the relay's function. */
export const RELAY_TASK = 'relay';
export const TICK_TASK = 'relay.ticks';

const isMessage = { type: { S: ['message'] } };

/**
 * Stream records that trigger the relay: new asynchronous messages and requeued dead letters.
 */
export const relayStreamFilters = [
  {
    eventName: ['INSERT'],
    dynamodb: { NewImage: { ...isMessage, kind: { S: ['async'] }, status: { S: ['PENDING'] } } },
  },
  {
    eventName: ['MODIFY'],
    dynamodb: {
      NewImage: { ...isMessage, status: { S: ['PENDING'] } },
      OldImage: { ...isMessage, status: { S: ['DEAD'] } },
    },
  },
];
