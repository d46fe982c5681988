/*
 * A record that is being deleted carries a mark: the name of the work that this has opened, `<instant>#<token>`, with
 * `#tree` behind it when everything below the record goes along.
 */
const OF_TREE = '#tree';

/** A new mark. @param token unique; the id of the job that may take the deletion over */
export const newMark = (at: string, token: string, isOfTree: boolean): string =>
  `${at}#${token}${isOfTree ? OF_TREE : ''}`;

/** Whether a mark is that of a deletion that takes a subtree along, which nothing may change meanwhile. */
export const isOfTree = (mark: string): boolean => mark.endsWith(OF_TREE);

/** The token of a mark. */
export const tokenOf = (mark: string): string => mark.split('#')[1] ?? '';
