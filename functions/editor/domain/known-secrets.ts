/** Secrets of examples and default installations, which anybody may try. */
const KNOWN_SECRETS = new Set([
  ...['secret', 'verysecretstring', 'my_jwt_secret', 'myjwtsecret', 'jwt_secret', 'jwtsecret'],
  ...['changeme', 'change_me', 'password', 'onlyoffice', 'your-secret', 'yoursecret'],
]);

/** Whether a secret protects nothing. */
export const isKnownSecret = (secret: string): boolean => KNOWN_SECRETS.has(secret.toLowerCase());

/** Prefix of a configured secret that is in Secrets Manager. */
export const SECRET_REFERENCE = 'secretsmanager:';
