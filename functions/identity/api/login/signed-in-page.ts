import type { Reply } from '../../../../shared/http/reply.ts';
import { pageReply } from '../../../../shared/pages/page-shell.ts';
import { PROVIDERS_PATH } from '../../paths.ts';
import { showSignedIn } from './show-signed-in.ts';

const STYLE = `
.link { margin: 0 .5rem .5rem 0; }
summary { cursor: pointer; margin: 1.5rem 0 .5rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #8886; padding: .5rem 1rem; margin: 0; }
`;

/** The page that says who has logged in; the same for everybody. */
export const signedInPage = (): Reply =>
  pageReply({
    title: 'Login',
    show: showSignedIn,
    style: STYLE,
    settings: {
      token: `${PROVIDERS_PATH}/token`,
      links: [
        ['Read and try out the API', '/api/v1/reference'],
        ['The interface as a file', '/api/v1/openapi.json'],
      ],
    },
  });
