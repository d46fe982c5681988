import * as z from 'zod';
import { routeLimit } from '../route-limit.ts';
import { defineSection, error } from '../section.ts';
import { jsonText, textList, wholeNumber } from '../values.ts';

const schema = () =>
  z.strictObject({
    'page-size-default': wholeNumber(20, 1, 200, 'Page size when a list call names none.'),
    'page-size-max': wholeNumber(200, 1, 1_000, 'Largest page size.'),
    'max-body': wholeNumber(
      1_048_576,
      1_024,
      6_000_000,
      'Largest JSON body (bytes); a route may allow more.',
    ),
    'cors-origins': textList(
      [],
      'Origins of web applications that may call the API; none: no cross-origin calls.',
    ),
    'public-url': z
      .string()
      .refine(
        isPublicUrl,
        'must be an https address as browsers write it, without query, fragment or slash at its end',
      )
      .default('')
      .describe(
        'Absolute address that links of the API begin with, such as https://api.example.com; none: the name of the gateway.',
      ),
    'rate-limit': wholeNumber(100, 1, 10_000, 'Steady requests per second of the API stage.'),
    'burst-limit': wholeNumber(200, 1, 10_000, 'Burst of requests of the API stage.'),
    'route-limits': z
      .preprocess(jsonText, z.array(routeLimit()))
      .default([])
      .describe(
        'Limits of single routes, below those of the stage: [{route, rate, burst}], route as POST /broker/dispatch.',
      ),
  });

/** `svc.web`: limits of the HTTP API. */
export const webSection = defineSection({
  name: 'web',
  schema,
  rules: [
    (web) =>
      web.pageSizeDefault > web.pageSizeMax &&
      error('WEB_PAGE_SIZE', 'svc.web.page-size-default', 'must not exceed svc.web.page-size-max'),
    (web) =>
      web.corsOrigins.includes('*') &&
      web.corsOrigins.length > 1 &&
      error('WEB_CORS_ORIGINS', 'svc.web.cors-origins', '* must stand alone'),
    ({ routeLimits }) =>
      new Set(routeLimits.map(({ route }) => route)).size < routeLimits.length &&
      error('WEB_ROUTE_LIMIT_TWICE', 'svc.web.route-limits', 'a route is listed twice'),
    (web, { stage }) =>
      web.publicUrl.startsWith('http:') &&
      stage !== 'local' &&
      error(
        'WEB_PUBLIC_URL',
        'svc.web.public-url',
        'must begin with https outside the stage local',
      ),
  ],
});

/**
 * Whether a text can stand before every path: an http(s) address without query, fragment, user or final slash. Another
 * spelling of an address would lead programs that do not read it as browsers do elsewhere.
 */
function isPublicUrl(text: string): boolean {
  if (text === '') return true;
  if (!/^https?:\/\/[^?#]*[^?#/]$/.test(text) || !URL.canParse(text)) return false;
  const { username, password, href, origin } = new URL(text);
  return username === '' && password === '' && (href === text || origin === text);
}
