/** `enc:v1:<key id>:<base64url of iv, ciphertext, tag>` */
export const CIPHER_TEXT = /^enc:v1:([0-9a-f]{8}):([A-Za-z0-9_-]+)$/;

/** Whether a text has the form of an encrypted one. */
export const isCipherText = (text: string): boolean => CIPHER_TEXT.test(text);

/** The id of the key a text was encrypted with; `undefined` when the text has another form. */
export const keyIdOf = (text: string): string | undefined => CIPHER_TEXT.exec(text)?.[1];
