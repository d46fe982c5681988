/** Another change removed the mark of a deletion, so the record may have new references. */
export class MarkLost extends Error {}
