import * as z from 'zod';
import { defineSection, error } from '../section.ts';
import { textList, wholeNumber } from '../values.ts';

const schema = z.strictObject({
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
  'rate-limit': wholeNumber(100, 1, 10_000, 'Steady requests per second of the API stage.'),
  'burst-limit': wholeNumber(200, 1, 10_000, 'Burst of requests of the API stage.'),
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
  ],
});
