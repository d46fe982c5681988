import { error, type SectionRule, warning } from '../../shared/config/section.ts';
import { isKnownSecret, SECRET_REFERENCE } from './domain/known-secrets.ts';
import { OWN_PATHS } from './paths.ts';

/** What the rules of `svc.docs` compare. */
interface DocsFacts {
  readonly enabled: boolean;
  readonly documentServerUrl?: string | undefined;
  readonly secret?: string | undefined;
  readonly previousSecret: readonly string[];
  readonly tokenExpiration: number;
  readonly callbackContextTokenExpiration: number;
  readonly editorAbsoluteLifetime: number;
  readonly callbackRetryWindow: number;
  readonly presignedUrlExpiration: number;
  readonly callbackTokenRequired: boolean;
  readonly callbackPath: string;
}

type Rule = SectionRule<DocsFacts>;

const isPlain = (secret: string | undefined): secret is string =>
  secret !== undefined && !secret.startsWith(SECRET_REFERENCE);

/** Whether one path is, contains or is below another. */
const meets = (one: string, other: string): boolean =>
  `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);

/** All secrets with the names of their properties. */
const secretsOf = ({ secret, previousSecret }: Pick<DocsFacts, 'secret' | 'previousSecret'>) => [
  ...(secret === undefined ? [] : [['secret', secret] as const]),
  ...previousSecret.map((each) => ['previous-secret', each] as const),
];

const isKnown: Rule = ({ secret, previousSecret }) => {
  const known = secretsOf({ secret, previousSecret }).find(
    ([, value]) => isPlain(value) && isKnownSecret(value),
  );
  return (
    known !== undefined &&
    error(
      'DOCS_SECRET_KNOWN',
      `svc.docs.${known[0]}`,
      'is a secret that anybody knows; make one of your own',
    )
  );
};

const isShort: Rule = ({ secret }) =>
  isPlain(secret) &&
  Buffer.byteLength(secret) < 32 &&
  warning(
    'DOCS_SECRET_SHORT',
    'svc.docs.secret',
    'is shorter than the 32 bytes that HS256 asks for',
  );

const serverUrlIsThere: Rule = (docs) =>
  docs.enabled &&
  !docs.documentServerUrl &&
  error(
    'DOCS_SERVER_URL_REQUIRED',
    'svc.docs.document-server-url',
    'is required when svc.docs.enabled is true',
  );

const secretIsThere: Rule = (docs) =>
  docs.enabled &&
  !docs.secret &&
  error('DOCS_SECRET_REQUIRED', 'svc.docs.secret', 'is required when svc.docs.enabled is true');

const secretsDiffer: Rule = ({ secret, previousSecret }) =>
  secret !== undefined &&
  previousSecret.includes(secret) &&
  error('DOCS_SECRET_SAME', 'svc.docs.previous-secret', 'is the current secret');

/** Names only: rights are given by name. */
const referencesAreNames: Rule = ({ secret, previousSecret }) => {
  const wrong = secretsOf({ secret, previousSecret }).find(
    ([, value]) =>
      value?.startsWith(SECRET_REFERENCE) &&
      !/^[\w/+=.@-]+(?:#\w+)?$/.test(value.slice(SECRET_REFERENCE.length)),
  );
  return (
    wrong !== undefined &&
    error(
      'DOCS_SECRET_REFERENCE',
      `svc.docs.${wrong[0]}`,
      'must name a secret as secretsmanager:<name>[#jsonKey]',
    )
  );
};

const contextLivesLongEnough: Rule = (docs) => {
  const least = docs.editorAbsoluteLifetime + docs.callbackRetryWindow;
  return (
    docs.callbackContextTokenExpiration < least &&
    error(
      'DOCS_CALLBACK_TOKEN_TOO_SHORT',
      'svc.docs.callback-context-token-expiration',
      `must be at least editor-absolute-lifetime + callback-retry-window = ${least}; it is ${docs.callbackContextTokenExpiration}`,
    )
  );
};

const fileLivesNoLonger: Rule = (docs) =>
  docs.presignedUrlExpiration > docs.callbackContextTokenExpiration &&
  error(
    'DOCS_FILE_OUTLIVES_CONTEXT',
    'svc.docs.presigned-url-expiration',
    `must not exceed callback-context-token-expiration = ${docs.callbackContextTokenExpiration}`,
  );

const configEndsWithSession: Rule = (docs) =>
  docs.tokenExpiration > docs.editorAbsoluteLifetime &&
  warning(
    'DOCS_TOKEN_OUTLIVES_EDITOR',
    'svc.docs.token-expiration',
    'is longer than the life of an editor session',
  );

const linksEndWithRole: Rule = (docs) =>
  docs.presignedUrlExpiration > 3_600 &&
  warning(
    'DOCS_PRESIGNED_URL_LONG',
    'svc.docs.presigned-url-expiration',
    'a link signed with role credentials ends with their session, at times sooner',
  );

const callbacksAreVerified: Rule = (docs) =>
  docs.enabled &&
  !docs.callbackTokenRequired &&
  warning(
    'DOCS_CALLBACK_UNVERIFIED',
    'svc.docs.callback-token-required',
    'false lets anybody who knows a callback address save documents',
  );

const callbackIsApart: Rule = ({ callbackPath }) => {
  const taken = OWN_PATHS.find((own) => meets(callbackPath, own));
  return (
    taken !== undefined &&
    error(
      'DOCS_CALLBACK_PATH_TAKEN',
      'svc.docs.callback-path',
      `meets ${taken}, another path of the editor`,
    )
  );
};

/** The rules of `svc.docs`. */
export const docsRules: readonly Rule[] = [
  ...[serverUrlIsThere, secretIsThere, isKnown, isShort, secretsDiffer, referencesAreNames],
  ...[contextLivesLongEnough, fileLivesNoLonger, configEndsWithSession, linksEndWithRole],
  ...[callbacksAreVerified, callbackIsApart],
];
