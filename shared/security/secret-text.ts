/** Replacement of a hidden value. */
export const MASK = '******';

const WORDS =
  'secret|password|passwd|token|credentials?|private[-_.]?key|api[-_.]?key|authorization';

/** Names whose values are hidden. */
export const SECRET_NAME = new RegExp(`(${WORDS})$`, 'i');

/** What a sentence says of a secret without telling it. */
const STATES =
  'not|no|expired|invalid|missing|required|wrong|incorrect|empty|malformed|revoked|unknown|null|undefined';
/** A secret name, and what introduces its value: a separator, `is`, or a quoted or numbered word right behind. */
const TOLD = new RegExp(
  [
    `((?:${WORDS.replaceAll('[-_.]', '[-_. ]')})s?(?![A-Za-z0-9_])[\\\\"'\\])]*`,
    `(?:\\s*[:=]+>?|\\s+(?:is|was)(?=\\s+(?!(?:${STATES})\\b))|(?=\\s+["'\`]|\\s+\\S*\\d)))`,
    String.raw`\s*\S.*$`,
  ].join(''),
  'is',
);
/** User and password of an address. */
const USER_INFO = /(\/\/)\S*@/g;
const SCHEME = /\b(bearer|basic)\s+\S+/gi;
/** A JWT, the id of an AWS key, a PEM document. */
const BY_FORM = /\beyJ[\w-]*(?:\.[\w-]*)*|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|-----BEGIN .*$/gs;

/**
 * A sentence, such as the message of an error, with what may be a secret in it masked. Where a value ends is not known, so
 * nothing is left behind a secret name and what introduces its value.
 */
export const maskSentence = (text: string): string =>
  text
    .replace(BY_FORM, MASK)
    .replace(USER_INFO, `$1${MASK}@`)
    .replace(SCHEME, `$1 ${MASK}`)
    .replace(TOLD, `$1 ${MASK}`);
