import { once } from '../../shared/primitives/once.ts';

/** The CMMN engine, loaded with the first case that is read or changed: definitions and lists do without. */
export const loadEngine = once(() => import('./domain/cmmn/index.ts'));
