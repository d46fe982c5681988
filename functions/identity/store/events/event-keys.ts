import { createHash } from 'node:crypto';
import type { Key } from '../../../../shared/store/table.ts';

/*
 * Access patterns
 *   an event by what its source calls it   identity_source_event_record#<source>             <digest>
 *   the events of a source, newest first   (gsi1) identity_source_event_record#@of#<source>  <receive time>#<id>
 *   the events to be applied, oldest first (gsi2) identity_source_event_record#@pending      <receive time>#<id>
 */
const TYPE = 'identity_source_event_record';
export const PENDING_PARTITION = `${TYPE}#@pending`;

export const eventPartition = (sourceId: string): string => `${TYPE}#${sourceId}`;

/** Keys of sources have any length and any characters. */
export const eventKeyOf = (sourceId: string, eventKey: string): Key => ({
  pk: eventPartition(sourceId),
  sk: createHash('sha256').update(eventKey).digest('base64url'),
});
export const eventsPartition = (sourceId: string): string => `${TYPE}#@of#${sourceId}`;
