import * as z from 'zod';
import { ok } from '../../../../shared/http/reply.ts';
import { publicAccess, type Route, route } from '../../../../shared/http/route.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import type { OnDemand } from '../../../../shared/primitives/once.ts';
import type { ProviderService } from '../../login-providers/provider-service.ts';
import { PROVIDERS_PATH } from '../../paths.ts';

export interface DisplayedRouteServices {
  readonly providers: Pick<OnDemand<ProviderService>, 'displayed'>;
  /** Address of the API as callers see it. */
  readonly baseUrl: () => string;
}

const query = lazy(() =>
  z.strictObject({
    tenant: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Whose providers; default: of no tenant.'),
  }),
);
const shown = lazy(() =>
  z
    .object({
      content: z.array(
        z.object({
          code: z.string(),
          name: z.string(),
          loginUrl: z.string().describe('Where a browser begins to log in; it takes returnTo.'),
        }),
      ),
    })
    .meta({ id: 'DisplayedProviders' }),
);
const EXAMPLE = {
  ...{ code: 'staff', name: 'Staff' },
  loginUrl: 'https://api.example.com/api/v1/identity_provider/staff/login',
};

/** The route that a page for logins asks. */
export const displayedRoutes = ({ providers, baseUrl }: DisplayedRouteServices): Route[] => [
  route({
    operationId: 'listDisplayedProviders',
    method: 'GET',
    path: `${PROVIDERS_PATH}/displayed`,
    summary: 'Lists the providers that a page for logins shows, by name',
    tag: 'Login',
    access: publicAccess,
    query,
    responses: {
      200: {
        description: 'Providers that are enabled and displayed',
        schema: shown,
        headers: { 'cache-control': 'How long they may be kept.' },
        example: { content: [EXAMPLE] },
      },
    },
    handle: async ({ query: { tenant } }) => {
      const found = await providers.displayed(tenant);
      const content = found.map(({ code, name }) => ({
        ...{ code, name },
        loginUrl: `${baseUrl()}${PROVIDERS_PATH}/${code}/login`,
      }));
      return ok({ content }, { 'cache-control': 'public, max-age=60' });
    },
  }),
];
