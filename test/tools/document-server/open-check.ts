import { isDeepStrictEqual } from 'node:util';
import { verify } from './jwt.ts';

/** What the stand-in reads of a configuration. */
export interface EditorConfiguration {
  readonly document: {
    readonly key: string;
    readonly url: string;
    readonly title?: string;
    readonly fileType: string;
    readonly permissions: Readonly<Record<string, boolean>>;
  };
  readonly editorConfig: {
    readonly mode: string;
    readonly callbackUrl?: string;
    readonly lang?: string;
    readonly user?: { readonly id: string; readonly name?: string };
    readonly plugins?: {
      readonly pluginsData?: readonly string[];
      readonly options?: Readonly<Record<string, object>>;
    };
  };
}

/** A refusal with the number that the document server shows. */
export class OpenRefused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const BAD_TOKEN = 4_004;
const INCOMPLETE_TOKEN = 4_006;
const KEY = /^[0-9-.a-zA-Z_=]{1,128}$/;

/**
 * Checks a configuration as the document server does when an editor is opened: everything comes from the token.
 * @throws OpenRefused
 */
export function checkOpening(
  sent: Partial<EditorConfiguration> & { readonly token?: string },
  secret: string,
): EditorConfiguration {
  const claims = claimsOf(sent.token, secret);
  if ('url' in claims || 'key' in claims) refuse(BAD_TOKEN, 'the token is none of a configuration');
  const config = claims as unknown as Partial<EditorConfiguration>;
  const { document, editorConfig } = config;
  if (!document?.key || !document.permissions || !document.url || !editorConfig?.mode) {
    refuse(INCOMPLETE_TOKEN, 'the token lacks document.key, permissions, url or editorConfig.mode');
  }
  if (sent.editorConfig?.callbackUrl && !editorConfig.callbackUrl) {
    refuse(INCOMPLETE_TOKEN, 'the token lacks editorConfig.callbackUrl');
  }
  if (!KEY.test(document.key)) refuse(BAD_TOKEN, 'the key has other characters, or is too long');
  if (!isDeepStrictEqual(sent.document?.permissions, document.permissions)) {
    refuse(BAD_TOKEN, 'the permissions are not those of the token');
  }
  return { document, editorConfig };
}

function claimsOf(token: string | undefined, secret: string): Readonly<Record<string, unknown>> {
  if (!token) refuse(BAD_TOKEN, 'there is no token');
  let claims: Readonly<Record<string, unknown>>;
  try {
    claims = verify(token, secret);
  } catch (error) {
    refuse(BAD_TOKEN, `the token is refused: ${error instanceof Error ? error.message : error}`);
  }
  if ('payload' in claims) refuse(INCOMPLETE_TOKEN, 'the configuration is wrapped in payload');
  return claims;
}

function refuse(code: number, message: string): never {
  throw new OpenRefused(code, message);
}
