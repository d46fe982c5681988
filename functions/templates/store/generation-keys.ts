import { createHash } from 'node:crypto';
import type { Key } from '../../../shared/store/table.ts';

/*
 * Access patterns
 *   a generation                          get    TPLGEN#<template id> / <generation id>
 *   those of a template, newest first     query  TPLGEN#<template id>, reversed
 *   what is under way or to be cleaned    query  gsi2 TPLGEN#@open / <due instant>#<generation id>
 *   the generation of an idempotencyKey   get    TPL#<template id> / KEY#<hash of the key>
 *   the generation of an Idempotency-Key  get    IDEM#templates#<hash> / IDEM
 *   the counter of document numbers       get    TPL#<template id> / SEQUENCE
 */

export const generationsPartition = (templateId: string): string => `TPLGEN#${templateId}`;

export const generationKey = (templateId: string, id: string): Key => ({
  pk: generationsPartition(templateId),
  sk: id,
});

export const OPEN_PARTITION = 'TPLGEN#@open';

export const bodyKey = (templateId: string, idempotencyKey: string): Key => ({
  pk: `TPL#${templateId}`,
  sk: `KEY#${createHash('sha256').update(idempotencyKey).digest('hex')}`,
});

export const sequenceKey = (templateId: string): Key => ({
  pk: `TPL#${templateId}`,
  sk: 'SEQUENCE',
});
