import { contentDisposition } from '../../../../shared/files/content-disposition.ts';
import { ok } from '../../../../shared/http/reply.ts';

/** The answer of a route that reads a deployed document. */
export const documentResponse = (example: string) => ({
  description: 'The document as it was deployed',
  contentType: 'application/xml',
  headers: { 'content-disposition': 'Name of the file.' },
  example,
});

export const toDocument = (xml: string, name: string) =>
  ok(xml, { 'content-type': 'application/xml', 'content-disposition': contentDisposition(name) });
