/** A value in a filter of SCIM. */
export const quoted = (text: string): string => JSON.stringify(text);
