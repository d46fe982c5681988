import { toPage } from '../../../shared/http/paging.ts';

/** A list with one entry that was not counted, for the API description. */
export const pageOf = <T>(entry: T) => toPage({ content: [entry], number: 0, size: 20 });
