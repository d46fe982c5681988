import type { DocumentFacts } from '../domain/sources/builtin-values.ts';
import type { PreparedDocument } from './preparation.ts';
import type { DocumentSource } from './writing/document-writer.ts';

/** What a prepared document is written of. @param facts what is known of it by now, such as its number */
export const sourceOf = (
  prepared: PreparedDocument,
  facts: DocumentFacts,
  { showsMissing }: Pick<DocumentSource, 'showsMissing'>,
): DocumentSource => {
  const { template, file, fields, settings, imageOf, nowMs, request } = prepared;
  return {
    ...{ title: template.name, type: template.type, file, fields, settings },
    ...{ values: prepared.values(facts), imageOf, pdf: request.pdf, nowMs, showsMissing },
  };
};
