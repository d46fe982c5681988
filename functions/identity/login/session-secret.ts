/** Name of the secret that the stack generates, and that the keys of logins are derived from. */
export const SESSION_SECRET = 'session';
