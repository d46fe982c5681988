const PATH =
  /^documents\/(?!(?:templates|generations|previews|batches|approved|\.changes)\/)[^\\\p{Cc}]{1,1000}$/u;

/** Whether a text is the path of a file of the host below `documents/`, and of no file of this module. */
export const isDocumentPath = (text: string): boolean =>
  PATH.test(text) && text.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
