import { once } from '../../../shared/primitives/once.ts';

/** The BPMN engine, loaded with the first process that is deployed, checked or changed. */
export const loadBpmn = once(() => import('../domain/bpmn/index.ts'));
