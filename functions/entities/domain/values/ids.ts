const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID of any version. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** An id as it is stored, whatever its case; other texts stay as they are. */
export const asId = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);
